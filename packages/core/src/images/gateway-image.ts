import { decodeBase64 } from "../download/base64.js";
import type { Downloader, DownloadOptions } from "../download/download.js";
import { InvalidResponseError } from "../errors/errors.js";
import { defineHidden, defineKnown } from "../errors/gateway-error.js";
import { Base64Content } from "./base64-content.js";
import type { ImageError } from "./image-types.js";

/** What an image is made from. */
export interface ImageSource {
  url?: string;
  base64?: string | Base64Content;
  mediaType?: string;
  revisedPrompt?: string;
  error?: ImageError;
}

const SIGNATURES: ReadonlyArray<[start: string, mediaType: string]> = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["UklGR", "image/webp"],
  ["R0lGOD", "image/gif"],
  ["Qk0", "image/bmp"],
];
const EXTENSIONS: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
};
const UNKNOWN_TYPE = "application/octet-stream";

/** An image the gateway made, by address or by content. */
export class GatewayImage {
  /** Download link; may expire: `bytes()` promptly. */
  declare readonly url?: string;
  /** The image itself in Base64. Written when it is read for the first time, where it came with a whole answer. */
  declare readonly base64?: string;
  /** Told by the content, the answer or the link; `application/octet-stream` when nothing tells. */
  readonly mediaType: string;
  /** The prompt as the model rewrote it. */
  declare readonly revisedPrompt?: string;
  /** Set when this image of a set could not be made; then there is neither `url` nor `base64`. */
  declare readonly error?: ImageError;
  declare private readonly download: Downloader;

  constructor(source: ImageSource, download: Downloader) {
    const { url, base64, revisedPrompt, error } = source;
    if (base64 instanceof Base64Content) {
      defineKnown(this, { url });
      base64.defineOn(this, "base64");
      defineKnown(this, { revisedPrompt, error });
    } else defineKnown(this, { url, base64, revisedPrompt, error });
    this.mediaType = typeOfContent(base64) ?? source.mediaType ?? typeOfLink(url) ?? UNKNOWN_TYPE;
    defineHidden(this, { download });
  }

  /** Decodes the image, or downloads it. @throws InvalidResponseError when there is no image or no valid Base64 */
  async bytes(options?: DownloadOptions): Promise<Uint8Array> {
    const content = Base64Content.of(this, "base64");
    if (content !== undefined) return content.bytes();
    if (this.base64 !== undefined) {
      const bytes = decodeBase64(this.base64);
      if (bytes === undefined) throw new InvalidResponseError("The image is not valid Base64.");
      return bytes;
    }
    if (this.url !== undefined) return (await this.download(this.url, options)).bytes();
    throw new InvalidResponseError(`There is no image: ${this.error?.message ?? "the answer holds none"}.`);
  }
}

function typeOfContent(base64: string | Base64Content | undefined): string | undefined {
  const text = base64 instanceof Base64Content ? base64.start() : base64;
  return text && SIGNATURES.find(([start]) => text.startsWith(start))?.[1];
}

function typeOfLink(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const declared = /^data:([^;,]+)/.exec(url)?.[1];
  return declared ?? EXTENSIONS[/\.(\w+)(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase() ?? ""];
}
