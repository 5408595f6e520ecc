import type { Services } from "../api/services.js";
import { imageSizeOf } from "../media/read-image-size.js";
import { readInputImage } from "../media/read-input-image.js";

const DATA_PREFIX = /^data:([^;,]{0,60})/;

/** What is known of one picture. */
interface Look {
  text: string;
  width?: number;
  height?: number;
  luma?: number;
  colour?: string;
}

/**
 * What can be told of images: type, size and main colours, and of several how they compare. Without the media package
 * only what the header of a data URL says. An image that lies elsewhere is not fetched.
 */
export async function describeImages(services: Services, urls: readonly string[]): Promise<string> {
  const looks = await Promise.all(urls.map((url) => look(services, url)));
  return [
    `I received ${urls.length === 1 ? "1 image" : `${urls.length} images`}.`,
    ...looks.map(({ text }, index) => `Image ${index + 1}: ${text}.`),
    ...compare(looks),
  ].join(" ");
}

async function look(services: Services, url: string): Promise<Look> {
  const bytes = await readInputImage(services, url);
  if (!bytes) {
    return {
      text: url.startsWith("data:")
        ? "too large to look at"
        : `${url} (a remote image, which I do not fetch)`,
    };
  }
  const describe = await services.media.find("describeImage");
  // A picture whose pixels cannot be read is still told by its header.
  const seen = await describe?.(bytes).catch(() => undefined);
  if (seen) {
    const { width, height, luma, brightness, colours } = seen;
    const kind = seen.mediaType.replace(/^image\//, "").toUpperCase();
    const light = luma === undefined ? brightness : `${brightness} (light ${luma} of 100)`;
    const shown = colours.length === 0 ? "all transparent" : `mainly ${inWords(colours)}`;
    const alpha = seen.hasAlpha ? ", with an alpha channel" : "";
    return {
      text: `${kind}, ${width}x${height} pixels, ${light}, ${shown}${alpha}`,
      width,
      height,
      ...(luma === undefined ? {} : { luma }),
      ...(colours[0] === undefined ? {} : { colour: colours[0] }),
    };
  }
  // Also of a file that this emulator serves, of which the URL says nothing.
  const size = imageSizeOf(bytes);
  if (size) {
    const { format, width, height } = size;
    return {
      text: `${format.toUpperCase()}, ${width}x${height} pixels, about ${bytes.length} bytes`,
      width,
      height,
    };
  }
  return {
    text: `${DATA_PREFIX.exec(url)?.[1] ?? "an image"} of about ${bytes.length} bytes, with a header I cannot read`,
  };
}

/** Which of several is the brightest and the largest, and whether their main colour is the same. */
function compare(looks: readonly Look[]): string[] {
  if (looks.length < 2) return [];
  const many = looks.length > 2;
  const areas = looks.map(({ width, height }) => (width && height ? width * height : undefined));
  const sentences = [
    rank(
      looks.map(({ luma }) => luma),
      many ? "the brightest" : "brighter",
      "as bright as each other",
    ),
    rank(areas, many ? "the largest" : "larger", "of the same number of pixels"),
  ];
  const colours = new Set(looks.map(({ colour }) => colour));
  const [colour] = colours;
  if (colours.size === 1 && colour !== undefined) sentences.push(`The main colour of all is ${colour}.`);
  return sentences.filter((sentence) => sentence !== undefined);
}

/** Undefined where one of the values is not known. */
function rank(values: ReadonlyArray<number | undefined>, first: string, equal: string): string | undefined {
  const known = values.filter((value) => value !== undefined);
  if (known.length < values.length) return undefined;
  const most = Math.max(...known);
  const best = known.flatMap((value, index) => (value === most ? [String(index + 1)] : []));
  if (best.length === known.length) return `They are ${equal}.`;
  return best.length === 1 ? `Image ${best[0]} is ${first}.` : `Images ${inWords(best)} are ${first}.`;
}

function inWords(names: readonly string[]): string {
  return names.length === 1 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
