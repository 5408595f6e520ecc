import { checkCallbackURL } from "../checks/check-callback-url.js";
import { checkImageInput } from "../checks/check-url.js";
import type { Field } from "../checks/field.js";

const MODES = ["std", "pro"] as const;
const DURATIONS_SECONDS = [5, 10] as const;
const ASPECT_RATIOS = ["16:9", "9:16", "1:1"] as const;
/** The first picture of this type, or else the first of all, is where the video begins. */
const FRAME_TYPES = ["first_frame", "end_frame"] as const;

/** What the endpoints of the wrapped families take. */
interface WrappedRequestBase {
  prompt: string;
  mode: (typeof MODES)[number];
  durationSeconds: number;
  callbackURL?: string;
  externalId?: string;
}

/** A body of `POST /videos/image2video` that passed every check. */
export interface ImageToVideoRequest extends WrappedRequestBase {
  image: string;
  sound: boolean;
}

/** A body of `POST /videos/omni-video` that passed every check. */
export interface OmniVideoRequest extends WrappedRequestBase {
  aspectRatio?: (typeof ASPECT_RATIOS)[number];
  firstFrame?: string;
  lastFrame?: string;
}

/** Checks a body of `POST /videos/image2video`. @throws APIError 400 */
export function checkImageToVideoRequest(body: Field): ImageToVideoRequest {
  const request: ImageToVideoRequest = {
    ...checkShared(body),
    image: checkImageInput(body.get("image")) ?? "",
    sound: body.get("sound").optional((field) => field.oneOf(["on", "off"])) === "on",
  };
  body.finish();
  return request;
}

/** Checks a body of `POST /videos/omni-video`. @throws APIError 400 */
export function checkOmniVideoRequest(body: Field): OmniVideoRequest {
  const shared = checkShared(body);
  const images = body.get("image_list").optional(checkImageList) ?? [];
  for (const video of body.get("video_list").optional((field) => field.items()) ?? []) {
    if (!video.object()) continue;
    video.get("video_url").optional((field) => field.nonEmptyString());
  }
  checkPlaceholders(body.get("prompt"), shared.prompt, images.length);
  const aspectRatio = body.get("aspect_ratio").optional((field) => field.oneOf(ASPECT_RATIOS));
  body.finish();
  const ofType = (type: string) => images.find((image) => image.type === type)?.url;
  return {
    ...shared,
    aspectRatio,
    firstFrame: ofType("first_frame") ?? images.find(({ type }) => type === undefined)?.url,
    lastFrame: ofType("end_frame"),
  };
}

function checkShared(body: Field): WrappedRequestBase {
  body.get("negative_prompt").optional((field) => field.string());
  body.get("cfg_scale").optional((field) => field.number({ min: 0, max: 1 }));
  return {
    prompt: body.get("prompt").nonEmptyString() ?? "",
    mode: body.get("mode").optional((field) => field.oneOf(MODES)) ?? "std",
    durationSeconds: body.get("duration").optional(checkDuration) ?? DURATIONS_SECONDS[0],
    callbackURL: body.get("callback_url").optional(checkCallbackURL),
    externalId: body.get("external_task_id").optional((field) => field.nonEmptyString()),
  };
}

function checkDuration(field: Field): number | undefined {
  const found = DURATIONS_SECONDS.find(
    (seconds) => field.value === seconds || field.value === String(seconds),
  );
  return found ?? field.refuse(`must be ${DURATIONS_SECONDS.join(" or ")} seconds, as a number or a string`);
}

function checkImageList(field: Field): { url: string | undefined; type: string | undefined }[] {
  return (field.items() ?? []).map((item) => {
    if (!item.object()) return { url: undefined, type: undefined };
    return {
      url: checkImageInput(item.get("image_url")),
      type: item.get("type").optional((type) => type.oneOf(FRAME_TYPES)),
    };
  });
}

/** `<<<image_2>>>` speaks of the second image of the list, which must be there. */
function checkPlaceholders(field: Field, prompt: string, images: number): void {
  for (const [placeholder, number] of prompt.matchAll(/<<<image_(\d{1,6})>>>/g)) {
    if (Number(number) < 1 || Number(number) > images) {
      field.refuse(`uses ${placeholder}, but image_list holds ${images} image(s)`);
      return;
    }
  }
}
