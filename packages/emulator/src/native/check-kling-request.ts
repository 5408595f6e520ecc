import type { Exchange } from "../api/exchange.js";
import { checkCallbackURL } from "../checks/check-callback-url.js";
import { checkImageInput } from "../checks/check-url.js";
import { Field } from "../checks/field.js";
import { APIError } from "../http/api-error.js";
import { checkSeconds } from "./check-seconds.js";
import type { NativeVideo } from "./start-native-task.js";

const DEFAULT_MODEL = "kling-v1";
const DURATION = { min: 3, max: 15, usual: 5 };

/** Reads a body of Kling's own. @throws APIError 400 */
export function checkKlingRequest(
  { body, key, services }: Exchange,
  family: "text2video" | "image2video",
): { model: string; video: NativeVideo } {
  const field = Field.body(body);
  const isText = family === "text2video";
  const checked = {
    model:
      field.get("model_name").optional((each) => each.nonEmptyString()) ??
      field.get("model").optional((each) => each.nonEmptyString()) ??
      DEFAULT_MODEL,
    video: {
      family,
      prompt: (isText ? field.get("prompt").nonEmptyString() : field.get("prompt").optional(asText)) ?? "",
      resolution:
        field.get("mode").optional((each) => each.oneOf(["std", "pro"])) === "pro" ? "1080p" : "720p",
      ratio:
        field.get("aspect_ratio").optional((each) => each.oneOf(["16:9", "9:16", "1:1"])) ??
        (isText ? "16:9" : "adaptive"),
      durationSeconds:
        field.get("duration").optional((each) => checkSeconds(each, DURATION)) ?? DURATION.usual,
      sound: field.get("sound").optional((each) => each.oneOf(["on", "off"])) === "on",
      firstFrame: isText ? undefined : checkImageInput(field.get("image")),
      lastFrame: isText ? undefined : field.get("image_tail").optional(checkImageInput),
      callbackURL: field.get("callback_url").optional(checkCallbackURL),
      externalId: field.get("external_task_id").optional((each) => each.nonEmptyString()),
    },
  } as const;
  field.finish();
  const { externalId } = checked.video;
  if (externalId !== undefined && services.tasks.find(undefined, key.key, externalId)) {
    throw APIError.badRequest(`external_task_id "${externalId.slice(0, 64)}" already names another task.`);
  }
  return checked;
}

function asText(field: Field): string | undefined {
  return field.string();
}
