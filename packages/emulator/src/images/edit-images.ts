import { imageSizeOf } from "../media/read-image-size.js";
import { requireModel } from "../models/require-model.js";
import type { Exchange } from "../server/exchange.js";
import { answerBase64Images } from "./answer-base64-images.js";
import { checkImageEditRequest, readEditForm } from "./check-image-edit-request.js";
import { DEFAULT_BASE64_MODEL } from "./create-images.js";
import type { PixelSize } from "./image-size.js";
import { inputImageTokens } from "./image-tokens.js";

const CLEARLY_LONGER = 1.2;

/** `POST /images/edits`: pictures made from 1 to 16 pictures. */
export async function editImages(exchange: Exchange): Promise<Response> {
  const body = readEditForm(exchange.body);
  const id = body.get("model").optional((field) => field.nonEmptyString());
  if (id === undefined && body.get("model").present) body.finish();
  requireModel(exchange.models, id ?? DEFAULT_BASE64_MODEL, "base64-image");
  const request = await checkImageEditRequest(body);
  const sizes = request.images.map(imageSizeOf);
  return answerBase64Images(exchange, request, {
    kind: "image_edit",
    size: request.size ?? sizeLike(sizes[0]),
    inputs: request.images,
    inputImageTokens: sizes.reduce((sum, size) => sum + inputImageTokens(size, request.highFidelity), 0),
  });
}

/** The size whose shape is nearest to the first picture's. */
function sizeLike(first: PixelSize | undefined): PixelSize {
  const ratio = first && first.height > 0 ? first.width / first.height : 1;
  if (ratio > CLEARLY_LONGER) return { width: 1_536, height: 1_024 };
  return ratio < 1 / CLEARLY_LONGER ? { width: 1_024, height: 1_536 } : { width: 1_024, height: 1_024 };
}
