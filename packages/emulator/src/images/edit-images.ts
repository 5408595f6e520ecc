import type { Exchange } from "../api/exchange.js";
import { requireModel } from "../api/require-model.js";
import type { Answer } from "../http/answer.js";
import { imageSizeOf } from "../media/read-image-size.js";
import { answerBase64Images } from "./answer-base64-images.js";
import { checkImageEditRequest, readEditForm } from "./check-image-edit-request.js";
import { DEFAULT_BASE64_MODEL } from "./create-images.js";
import { inputImageTokens } from "./image-tokens.js";
import { usualSizeLike } from "./usual-size.js";

/** `POST /images/edits`: pictures made from 1 to 16 pictures. */
export async function editImages(exchange: Exchange): Promise<Answer> {
  const body = readEditForm(exchange.body);
  const id = body.get("model").optional((field) => field.nonEmptyString());
  if (id === undefined && body.get("model").present) body.finish();
  const model = requireModel(exchange, id ?? DEFAULT_BASE64_MODEL, "base64-image");
  const request = await checkImageEditRequest(body);
  const sizes = request.images.map(imageSizeOf);
  return answerBase64Images(exchange, model.id, request, {
    kind: "image_edit",
    size: request.size ?? usualSizeLike(sizes[0]),
    inputs: request.images,
    inputImageTokens: sizes.reduce((sum, size) => sum + inputImageTokens(size, request.highFidelity), 0),
  });
}
