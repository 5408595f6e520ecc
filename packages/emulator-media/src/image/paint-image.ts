import { type Caption, drawCaption, layOutCaption } from "../text/caption.js";
import { Canvas } from "./canvas.js";
import { decodePicture } from "./decode-picture.js";
import type { ImageRequest } from "./image-request.js";
import { paintLandscape } from "./paint-landscape.js";
import { placeThumbnails } from "./place-thumbnails.js";
import type { RasterPicture } from "./raster-picture.js";
import type { RgbColor } from "./rgb-color.js";

const PROMPT_SHARE = 0.26;
const PROMPT_COLOR: RgbColor = { red: 246, green: 246, blue: 246 };
const DETAILS_COLOR: RgbColor = { red: 178, green: 178, blue: 178 };
const FRAME_COLOR: RgbColor = { red: 255, green: 255, blue: 255 };

// What is left of the landscape's light under the caption, and of its opacity in a transparent picture.
const PANEL_LIGHT = 0.22;
const PANEL_OPACITY = 0.85;

/** Paints the picture of a request: a landscape, the inputs on top of it, and below them the caption. */
export async function paintImage(request: ImageRequest): Promise<RasterPicture> {
  const { width, height, prompt, details = [], inputs = [], seed } = request;
  const transparent = request.background === "transparent";
  const canvas = new Canvas(width, height, transparent ? 4 : 3);
  const caption = layOutCaption({ width, height, prompt, details, promptShare: PROMPT_SHARE });
  paintLandscape(canvas, caption.top, seed);
  if (transparent) cutOut(canvas, caption);
  await drawInputs(canvas, caption, inputs);
  drawPanel(canvas, caption);
  return canvas;
}

function drawPanel(canvas: Canvas, caption: Caption): void {
  const { data, channels } = canvas;
  for (let at = caption.top * canvas.width * channels; at < data.length; at += channels) {
    for (let channel = 0; channel < 3; channel++) data[at + channel] = data[at + channel]! * PANEL_LIGHT;
  }
  const ink = (color: RgbColor) => (x: number, y: number, width: number, height: number) =>
    canvas.fill(x, y, width, height, color);
  drawCaption(caption, { prompt: ink(PROMPT_COLOR), details: ink(DETAILS_COLOR) });
}

/** Leaves a disc of the landscape and a translucent panel; everything around them becomes transparent. */
function cutOut({ data, width }: Canvas, { top }: Caption): void {
  const radius = 0.48 * Math.min(width, top);
  for (let y = 0, at = 3; at < data.length; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      if (y >= top) {
        data[at] = 255 * PANEL_OPACITY;
        continue;
      }
      const distance = Math.sqrt((x + 0.5 - width / 2) ** 2 + (y + 0.5 - top / 2) ** 2);
      data[at] = 255 * Math.min(1, Math.max(0, radius - distance + 0.5));
    }
  }
}

/** Draws the inputs above the caption, framed, whole and in their own proportions. */
async function drawInputs(canvas: Canvas, caption: Caption, inputs: readonly Uint8Array[]): Promise<void> {
  const margin = Math.round(Math.min(canvas.width, caption.top) * 0.06);
  const frame = Math.max(1, Math.round(margin / 8));
  const area = {
    x: margin,
    y: margin,
    width: canvas.width - 2 * margin,
    height: caption.top - 2 * margin,
  };
  const cells = placeThumbnails(area, inputs.length, Math.max(2, margin >> 1));
  for (const [index, bytes] of inputs.entries()) {
    const cell = cells[index] ?? { x: 0, y: 0, width: 1, height: 1 };
    const size = {
      width: Math.max(1, cell.width - 2 * frame),
      height: Math.max(1, cell.height - 2 * frame),
    };
    // Also decoded where there is no room to show it: an input that is no image has to be refused in any size.
    const thumbnail = await decodePicture(bytes, `inputs[${index}]`, { ...size, fit: "inside" });
    if (!cells[index]) continue;
    const x = cell.x + ((cell.width - thumbnail.width) >> 1);
    const y = cell.y + ((cell.height - thumbnail.height) >> 1);
    canvas.fill(x - frame, y - frame, thumbnail.width + 2 * frame, thumbnail.height + 2 * frame, FRAME_COLOR);
    canvas.draw(thumbnail, x, y);
  }
}
