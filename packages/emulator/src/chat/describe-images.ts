import { readImageSize } from "../media/read-image-size.js";

/** What can be told of images without looking at their pixels: type and size, by the header of a data URL. */
export function describeImages(urls: readonly string[]): string {
  const descriptions = urls.map((url, index) => `Image ${index + 1}: ${describe(url)}.`);
  return [`I received ${urls.length === 1 ? "1 image" : `${urls.length} images`}.`, ...descriptions].join(
    " ",
  );
}

function describe(url: string): string {
  if (!url.startsWith("data:")) return `${url} (a remote image, which I do not fetch)`;
  const bytes = Math.floor(((url.length - url.indexOf(",") - 1) * 3) / 4);
  const size = readImageSize(url);
  if (size) return `${size.format.toUpperCase()}, ${size.width}x${size.height} pixels, about ${bytes} bytes`;
  return `${url.slice("data:".length, url.indexOf(";"))} of about ${bytes} bytes, with a header I cannot read`;
}
