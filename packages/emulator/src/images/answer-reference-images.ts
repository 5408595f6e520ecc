import { randomUUID } from "node:crypto";
import { chunkPause } from "../api/chunk-pause.js";
import type { Exchange } from "../api/exchange.js";
import { Answer } from "../http/answer.js";
import { eventStreamResponse } from "../http/event-stream.js";
import { hashText } from "../language/hash-text.js";
import { stripPromptMarkers } from "../language/prompt-markers.js";
import type { ImageRecipe } from "../media/file-recipe.js";
import { readImageSize } from "../media/read-image-size.js";
import { settleImageFormat } from "../media/render-image.js";
import { renderImageRecipe } from "../media/render-image-recipe.js";
import type { ReferenceImageRequest } from "./check-reference-image-request.js";
import { formatPixelSize, type PixelSize } from "./image-size.js";
import { countPictures } from "./picture-count.js";

const PIXELS_PER_TOKEN = 256;
/** References and results of one request together. */
const MOST_IMAGES = 15;
const WATERMARK = "AI generated";

/** An item of `data`. */
type ImageItem = ({ url: string } | { b64_json: string }) & { size: string };

/** Answers a checked request of the reference-image family, whole or as a stream. */
export async function answerReferenceImages(
  exchange: Exchange,
  model: string,
  request: ReferenceImageRequest,
): Promise<Answer> {
  const { services, url, bill } = exchange;
  const format = await settleImageFormat(services, request.outputFormat, "jpeg");
  const size = sizeOf(request);
  const prompt = stripPromptMarkers(request.prompt);
  const wanted = request.maxImages === 1 ? 1 : countPictures(prompt);
  const count = Math.max(1, Math.min(wanted, request.maxImages, MOST_IMAGES - request.images.length));
  const created = Math.floor(services.clock.now() / 1_000);
  const owner = `image_${randomUUID()}`;
  const seed = request.seed ?? hashText(prompt, services.seed);

  const makeImage = async (index: number): Promise<ImageItem> => {
    const details = [formatPixelSize(size)];
    if (count > 1) details.push(`${index + 1} of ${count}`);
    if (request.watermark) details.push(WATERMARK);
    const recipe: ImageRecipe = {
      kind: "image",
      request: { ...size, prompt, seed: seed + index, format, details },
      inputs: request.images,
    };
    if (request.base64) {
      const { bytes } = await renderImageRecipe(services, recipe);
      return { b64_json: Buffer.from(bytes).toString("base64"), size: formatPixelSize(size) };
    }
    const path = `${owner}/${index + 1}.${format}`;
    return {
      url: services.files.publish(url.origin, path, services.clock.now(), recipe),
      size: formatPixelSize(size),
    };
  };
  const tokens = Math.floor((count * size.width * size.height) / PIXELS_PER_TOKEN);
  const usage = { generated_images: count, output_tokens: tokens, total_tokens: tokens };
  bill.expect(model, { images: count, outputTokens: tokens });

  if (!request.stream) {
    const data: ImageItem[] = [];
    for (let index = 0; index < count; index++) data.push(await makeImage(index));
    return Answer.json({ model, created, data, usage });
  }
  async function* events() {
    for (let index = 0; index < count; index++) {
      const item = await makeImage(index);
      yield { type: "image_generation.partial_succeeded", model, created, image_index: index, ...item };
    }
    yield { type: "image_generation.completed", model, created, usage };
  }
  return eventStreamResponse(events(), { pause: chunkPause(exchange) });
}

/** A tier has the shape of the first reference image, as far as that is known, else it is square. */
function sizeOf({ size, images }: ReferenceImageRequest): PixelSize {
  if ("width" in size) return size;
  const reference = readImageSize(images[0] ?? "");
  if (!reference || reference.width === 0 || reference.height === 0) {
    return { width: size.side, height: size.side };
  }
  // A multiple of 16 below the exact side keeps the tier's number of pixels.
  const ratio = Math.min(4, Math.max(0.25, reference.width / reference.height));
  const sideOf = (factor: number) => Math.floor((size.side * Math.sqrt(factor)) / 16) * 16;
  return { width: sideOf(ratio), height: sideOf(1 / ratio) };
}
