import type { OpenStream } from "../call/open-stream.js";
import type { Cost } from "../costs/cost.js";
import type { Downloader } from "../download/download.js";
import { isErrorEnvelope, isErrorValue } from "../errors/read-error-body.js";
import type { StreamShape } from "../streams/json-stream-reader.js";
import { addUsage } from "./add-usage.js";
import type { GatewayImage } from "./gateway-image.js";
import type { ImageStreamEvent } from "./image-types.js";
import { readImage, readImageError } from "./read-image-result.js";

/** An event as it comes; the type is the same with and without an `event:` line. */
export interface RawImageEvent {
  type?: string;
  [field: string]: unknown;
}

/** An image of 4K in Base64 is some 40 MB. */
const MAX_EVENT_LENGTH = 128 * 2 ** 20;

/** Reads the events of both families and knows when nothing is missing. */
export class ImageStreamShape implements StreamShape<RawImageEvent> {
  readonly maxEventLength = MAX_EVENT_LENGTH;
  readonly #images: GatewayImage[] = [];
  #completed = 0;
  #usage: unknown;
  readonly #download: Downloader;

  constructor(download: Downloader) {
    this.#download = download;
  }

  accept(event: RawImageEvent): void {
    const read = this.read(event);
    // What closes a set has the usage of all its images; each of others has its own.
    this.#usage =
      read?.type === "completed" ? addUsage(this.#usage, event["usage"]) : (event["usage"] ?? this.#usage);
    if (read?.type === "completed") this.#images.push(read.image);
    if (read?.type === "completed" || read?.type === "finished") this.#completed++;
  }

  isWhole(): boolean {
    // The closing event of a set says nothing about its images: one that failed has told so itself.
    return this.#completed > 0;
  }

  usage(): unknown {
    return this.#usage;
  }

  findError(event: RawImageEvent): unknown {
    // A set tells of an image that failed and goes on.
    if (this.read(event) !== undefined) return undefined;
    return isErrorValue(event["error"]) || isErrorEnvelope(event) ? event : undefined;
  }

  partial(): { images: GatewayImage[] } {
    return { images: this.#images };
  }

  /** @returns undefined for events of a type nobody knows */
  read(raw: RawImageEvent): ImageStreamEvent | undefined {
    const kind = typeof raw.type === "string" ? raw.type.split(".").at(-1) : undefined;
    const index = numberOf(raw["image_index"]) ?? 0;
    const image = () => readImage(raw, raw["output_format"], this.#download);
    const hasImage = typeof raw["b64_json"] === "string" || typeof raw["url"] === "string";
    switch (kind) {
      case "partial_image":
        return {
          type: "partial",
          index,
          partialIndex: numberOf(raw["partial_image_index"]) ?? 0,
          image: image(),
          raw,
        };
      case "partial_succeeded":
        return { type: "completed", index, image: image(), usage: raw["usage"], raw };
      case "partial_failed":
        return {
          type: "failed",
          index,
          error: readImageError(raw["error"]) ?? { message: "the gateway gives no reason" },
          raw,
        };
      case "completed":
        return hasImage
          ? {
              type: "completed",
              index: numberOf(raw["image_index"]) ?? this.#images.length,
              image: image(),
              usage: raw["usage"],
              raw,
            }
          : { type: "finished", usage: raw["usage"], raw };
      default:
        return undefined;
    }
  }
}

/**
 * A streamed image call: iterate it for its events, of which each finished image is one. Leaving the loop closes
 * the connection; the request has been paid for all the same.
 *
 * Iteration throws `StreamInterruptedError` when the stream ends before any image was finished (`partial.images`
 * holds what came), the matching `APIError` for an error inside the stream, `APIUserAbortError` on abort.
 */
export class ImageStream implements AsyncIterable<ImageStreamEvent> {
  /** What the call cost, when the stream has come to its proper end, where the client has `prices`. */
  declare readonly cost?: Cost;

  constructor(
    private readonly source: OpenStream<RawImageEvent>,
    private readonly download: Downloader,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<ImageStreamEvent, void, undefined> {
    // A shape of its own: the connection runs ahead of this reader, and images are numbered as they are read.
    const shape = new ImageStreamShape(this.download);
    for await (const raw of this.source.queue) {
      const event = shape.read(raw);
      shape.accept(raw);
      if (event !== undefined) yield event;
    }
  }

  /** Closes the connection; a reader gets an `APIUserAbortError`. */
  abort(reason?: unknown): void {
    this.source.abort(reason);
  }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
