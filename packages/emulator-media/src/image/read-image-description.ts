import type { Metadata } from "sharp";
import { openPicture, unreadablePicture } from "./decode-picture.js";
import type { ImageDescription } from "./image-description.js";
import { nameColor } from "./name-color.js";

const MAX_COLORS = 3;

// Less of a colour is an edge or a detail.
const SMALLEST_SHARE = 0.08;

// Names are counted on a picture of this many pixels a side: shares of a few percent need no more.
const SAMPLE_SIDE = 64;
const VISIBLE_ALPHA = 128;
const DARK_LUMA = 85;
const BRIGHT_LUMA = 170;

/** Measures an encoded picture, on the thread it is called on. */
export async function readImageDescription({ bytes }: { bytes: Uint8Array }): Promise<ImageDescription> {
  try {
    const metadata = await openPicture(bytes).metadata();
    const { data } = await openPicture(bytes)
      .resize({ width: SAMPLE_SIDE, height: SAMPLE_SIDE, fit: "fill", kernel: "nearest" })
      .toColourspace("srgb")
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return {
      mediaType: mediaTypeOf(metadata),
      width: metadata.autoOrient.width,
      height: metadata.autoOrient.height,
      ...measurePixels(data),
      hasAlpha: metadata.hasAlpha,
    };
  } catch (error) {
    throw unreadablePicture(bytes, "bytes", error);
  }
}

function mediaTypeOf({ format, compression }: Metadata): string {
  if (format === "heif") return compression === "av1" ? "image/avif" : "image/heic";
  return format === "svg" ? "image/svg+xml" : `image/${format}`;
}

/** Counts colours and light over the visible pixels of RGBA data. */
function measurePixels(data: Uint8Array): Pick<ImageDescription, "colours" | "brightness" | "luma"> {
  const counts = new Map<string, number>();
  let visible = 0;
  let light = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3]! < VISIBLE_ALPHA) continue;
    const color = { red: data[at]!, green: data[at + 1]!, blue: data[at + 2]! };
    const name = nameColor(color);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    light += 0.2126 * color.red + 0.7152 * color.green + 0.0722 * color.blue;
    visible++;
  }
  const colours = [...counts]
    .sort((a, b) => b[1] - a[1])
    .filter(([, count], index) => index === 0 || count >= visible * SMALLEST_SHARE)
    .slice(0, MAX_COLORS)
    .map(([name]) => name);
  // A picture without a visible pixel counts as the white page that it lies on.
  const mean = visible > 0 ? light / visible : 255;
  return { colours, brightness: brightnessOf(mean), luma: Math.round(mean / 2.55) };
}

/** From the mean luma, 0 to 255. */
function brightnessOf(luma: number): ImageDescription["brightness"] {
  if (luma < DARK_LUMA) return "dark";
  return luma > BRIGHT_LUMA ? "bright" : "medium";
}
