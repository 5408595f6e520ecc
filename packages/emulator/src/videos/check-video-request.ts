import { checkCallbackURL } from "../checks/check-callback-url.js";
import type { Field } from "../checks/field.js";
import type { VideoModelEntry } from "../state/model-table.js";
import { RATIOS, type Ratio, RESOLUTIONS, type Resolution } from "../tasks/video-dimensions.js";
import { type CheckedContent, checkVideoContent } from "./check-video-content.js";

const MIN_DURATION_SECONDS = 4;
const MAX_DURATION_SECONDS = 15;
const AUTOMATIC_DURATION = -1;
const MAX_PRIORITY = 9;

/** Options that a series does not take. */
const UNSUPPORTED_OPTIONS: Record<VideoModelEntry["series"], readonly string[]> = {
  "2.0": ["service_tier", "draft", "frames", "seed", "camera_fixed"],
  "1.5-pro": ["tools", "priority", "frames"],
};

/** A body of `POST /videos` that passed every check; absent members were not sent. */
export interface CheckedVideoRequest {
  content: CheckedContent;
  callbackURL?: string;
  returnLastFrame?: boolean;
  executionExpiresAfter?: number;
  generateAudio?: boolean;
  draft?: boolean;
  resolution?: Resolution;
  ratio?: Ratio;
  /** Seconds; undefined for automatic. */
  duration?: number;
  seed?: number;
}

/** Checks a body of `POST /videos` against what the model's series takes. @throws APIError 400 */
export function checkVideoRequest(body: Field, model: VideoModelEntry): CheckedVideoRequest {
  for (const option of UNSUPPORTED_OPTIONS[model.series]) {
    if (body.get(option).present) body.get(option).refuse(`is not supported by ${model.id}`);
  }
  const content = checkVideoContent(body.get("content"), model);
  const request: CheckedVideoRequest = {
    content,
    callbackURL: body.get("callback_url").optional(checkCallbackURL),
    returnLastFrame: body.get("return_last_frame").optional((field) => field.boolean()),
    executionExpiresAfter: body.get("execution_expires_after").optional((field) => field.integer({ min: 1 })),
    generateAudio: body.get("generate_audio").optional((field) => field.boolean()),
    resolution: body.get("resolution").optional((field) => field.oneOf(RESOLUTIONS)),
    ratio: body.get("ratio").optional((field) => field.oneOf(RATIOS)),
    duration: body.get("duration").optional((field) => checkDuration(field, model)),
  };
  body.get("safety_identifier").optional((field) => field.string());
  body.get("watermark").optional((field) => field.boolean());
  if (model.series === "2.0") {
    body.get("tools").optional(checkTools);
    body.get("priority").optional((field) => field.integer({ min: 0, max: MAX_PRIORITY }));
  } else {
    body.get("service_tier").optional((field) => field.nonEmptyString());
    body.get("camera_fixed").optional((field) => field.boolean());
    request.draft = body.get("draft").optional((field) => field.boolean());
    request.seed = body.get("seed").optional((field) => field.integer());
  }
  body.finish();
  return request;
}

function checkDuration(field: Field, model: VideoModelEntry): number | undefined {
  const automatic = model.series === "2.0";
  if (automatic && field.value === AUTOMATIC_DURATION) return undefined;
  const { value } = field;
  if (
    typeof value === "number" &&
    Number.isInteger(value) &&
    value >= MIN_DURATION_SECONDS &&
    value <= MAX_DURATION_SECONDS
  ) {
    return value;
  }
  const range = `an integer from ${MIN_DURATION_SECONDS} to ${MAX_DURATION_SECONDS} seconds`;
  return field.refuse(`must be ${range}${automatic ? `, or ${AUTOMATIC_DURATION} for automatic` : ""}`);
}

function checkTools(field: Field): void {
  for (const tool of field.items() ?? []) {
    if (tool.object()) tool.get("type").oneOf(["web_search"]);
  }
}
