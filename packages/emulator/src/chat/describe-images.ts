import type { Services } from "../api/services.js";
import { readImageSize } from "../media/read-image-size.js";
import { readInputImage } from "../media/read-input-image.js";

const DATA_PREFIX = /^data:([^;,]{0,60})/;

/**
 * What can be told of images: type, size and main colours. Without the media package only what the header of a data
 * URL says. An image that lies elsewhere is not fetched.
 */
export async function describeImages(services: Services, urls: readonly string[]): Promise<string> {
  const descriptions = await Promise.all(
    urls.map(async (url, index) => `Image ${index + 1}: ${await describe(services, url)}.`),
  );
  return [`I received ${urls.length === 1 ? "1 image" : `${urls.length} images`}.`, ...descriptions].join(
    " ",
  );
}

async function describe(services: Services, url: string): Promise<string> {
  const bytes = await readInputImage(services, url);
  if (!bytes) {
    return url.startsWith("data:") ? "too large to look at" : `${url} (a remote image, which I do not fetch)`;
  }
  const look = await services.media.find("describeImage");
  // A picture whose pixels cannot be read is still told by its header.
  const seen = await look?.(bytes).catch(() => undefined);
  if (seen) {
    const kind = seen.mediaType.replace(/^image\//, "").toUpperCase();
    const colours = seen.colours.length === 0 ? "all transparent" : `mainly ${inWords(seen.colours)}`;
    const alpha = seen.hasAlpha ? ", with an alpha channel" : "";
    return `${kind}, ${seen.width}x${seen.height} pixels, ${seen.brightness}, ${colours}${alpha}`;
  }
  const size = readImageSize(url);
  if (size)
    return `${size.format.toUpperCase()}, ${size.width}x${size.height} pixels, about ${bytes.length} bytes`;
  return `${DATA_PREFIX.exec(url)?.[1] ?? "an image"} of about ${bytes.length} bytes, with a header I cannot read`;
}

function inWords(names: readonly string[]): string {
  return names.length === 1 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
