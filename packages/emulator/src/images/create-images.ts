import type { Exchange } from "../api/exchange.js";
import { requireModel } from "../api/require-model.js";
import { Field } from "../checks/field.js";
import type { Answer } from "../http/answer.js";
import { isRecord } from "../json/is-record.js";
import { answerBase64Images } from "./answer-base64-images.js";
import { answerReferenceImages } from "./answer-reference-images.js";
import { checkBase64ImageOptions } from "./base64-image-options.js";
import { checkReferenceImageRequest } from "./check-reference-image-request.js";
import { usualSizeLike } from "./usual-size.js";

/** What answers a request that names no model, as only this shape may. */
export const DEFAULT_BASE64_MODEL = "local-image-b64";
/** Options of the shape reference. */
const REFERENCE_OPTIONS = [
  "image",
  "watermark",
  "sequential_image_generation",
  "sequential_image_generation_options",
  "seed",
  "guidance_scale",
];

/** `POST /images/generations`: images by either family, as the model decides. */
export async function createImages(exchange: Exchange): Promise<Answer> {
  const body = Field.body(exchange.body);
  const id = body.getNullable("model").optional((field) => field.nonEmptyString());
  if (id === undefined && body.getNullable("model").present) body.finish();
  const model = requireModel(exchange, id ?? DEFAULT_BASE64_MODEL, "reference-image", "base64-image");
  if (model.capability === "reference-image") {
    return answerReferenceImages(exchange, model.id, checkReferenceImageRequest(body));
  }
  for (const option of REFERENCE_OPTIONS) {
    if (body.get(option).present) body.get(option).refuse(`is not supported by ${model.id}`);
  }
  const options = checkBase64ImageOptions(body);
  body.finish();
  const size = options.size ?? usualSizeLike(undefined);
  return answerBase64Images(exchange, model.id, options, {
    kind: "image_generation",
    size,
    inputs: [],
    inputImageTokens: 0,
  });
}

/** The prompt of a request, checked or not, in which prompt markers count. */
export function imagePromptText(body: unknown): string {
  const prompt = isRecord(body) ? body["prompt"] : undefined;
  return typeof prompt === "string" ? prompt : "";
}
