import { layOutCaptionLine } from "../scene/caption-line.js";
import { composeScene, joinLayers, sceneSize } from "../scene/compose-scene.js";
import { rasterize } from "../scene/rasterize.js";
import { readScene } from "../scene/read-scene.js";
import type { RgbColor } from "../scene/rgb-color.js";
import { n } from "../scene/svg.js";
import { Canvas } from "./canvas.js";
import { decodePicture } from "./decode-picture.js";
import type { ImageRequest } from "./image-request.js";
import { placeThumbnails } from "./place-thumbnails.js";
import type { RasterPicture } from "./raster-picture.js";

const FRAME_COLOR: RgbColor = { red: 255, green: 255, blue: 255 };

/** How much of the height further inputs take, in a row at the top. */
const THUMBNAIL_SHARE = 0.24;

/**
 * Paints the picture of a request: the scene that its prompt describes. With inputs the first is the picture, and the
 * things that the prompt names are drawn over it; further inputs lie in a row at its top.
 */
export async function paintImage(request: ImageRequest): Promise<RasterPicture> {
  const { width, height, prompt, details = [], inputs = [] } = request;
  const transparent = request.background === "transparent";
  const canvas = new Canvas(width, height, transparent ? 4 : 3);
  if (transparent) canvas.data.fill(0);
  const caption = layOutCaptionLine({ width, height, prompt, details });
  await drawInputs(canvas, inputs);
  canvas.overlay(
    rasterize(drawScene(request, caption.share), { width, height }, sceneSize({ width, height })),
  );
  if (caption.markup !== "") canvas.overlay(rasterize(caption.markup, { width, height }, { width, height }));
  return canvas;
}

/** The markup of the scene; of what is given, and of what is to be transparent, it leaves the background free. */
function drawScene(request: ImageRequest, captionShare: number): string {
  const { width, height, prompt, inputs = [], seed } = request;
  const transparent = request.background === "transparent" && inputs.length === 0;
  const scene = readScene(prompt);
  // Most edits name what they change, which is no thing to be added.
  if (inputs.length > 0) scene.subjects = scene.subjects.filter(({ figure }) => figure !== undefined);
  const cutOut = transparent && scene.subjects.length === 0;
  const onlyFigures = (transparent && !cutOut) || inputs.length > 0;
  const { layers, palette, ...size } = composeScene(scene, {
    width,
    height,
    captionShare,
    seed,
    onlyFigures,
  });
  const wash =
    palette.washShare > 0 && !transparent
      ? `<rect width="${n(size.width)}" height="${n(size.height)}" fill="${palette.wash}" fill-opacity="${palette.washShare}"/>`
      : "";
  const markup = joinLayers(layers) + wash;
  if (!cutOut) return markup;
  // A view without a thing in it is seen through a hole.
  const [x, y] = [size.width / 2, (size.height * (1 - captionShare)) / 2];
  return (
    `<clipPath id="disc"><circle cx="${n(x)}" cy="${n(y)}" r="${n(Math.min(x, y) * 0.96)}"/></clipPath>` +
    `<g clip-path="url(#disc)">${markup}</g>`
  );
}

/** The first input covers the picture; the others are framed, whole and in their own proportions, in a row. */
async function drawInputs(canvas: Canvas, inputs: readonly Uint8Array[]): Promise<void> {
  const { width, height } = canvas;
  const margin = Math.round(Math.min(width, height) * 0.03);
  const frame = Math.max(1, Math.round(margin / 6));
  const area = {
    x: margin,
    y: margin,
    width: width - 2 * margin,
    height: Math.round(height * THUMBNAIL_SHARE),
  };
  const cells = placeThumbnails(area, Math.max(0, inputs.length - 1), Math.max(2, margin >> 1));
  for (const [index, bytes] of inputs.entries()) {
    const name = `inputs[${index}]`;
    if (index === 0) {
      canvas.draw(await decodePicture(bytes, name, { width, height, fit: "cover" }), 0, 0);
      continue;
    }
    const cell = cells[index - 1] ?? { x: 0, y: 0, width: 1, height: 1 };
    const size = { width: Math.max(1, cell.width - 2 * frame), height: Math.max(1, cell.height - 2 * frame) };
    // Also decoded where there is no room to show it: an input that is no image has to be refused in any size.
    const thumbnail = await decodePicture(bytes, name, { ...size, fit: "inside" });
    if (!cells[index - 1]) continue;
    const x = cell.x + ((cell.width - thumbnail.width) >> 1);
    const y = cell.y + ((cell.height - thumbnail.height) >> 1);
    canvas.fill(x - frame, y - frame, thumbnail.width + 2 * frame, thumbnail.height + 2 * frame, FRAME_COLOR);
    canvas.draw(thumbnail, x, y);
  }
}
