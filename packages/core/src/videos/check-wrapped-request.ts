import { Checker } from "../checks/checker.js";
import type { ImageToVideoRequest, OmniVideoRequest } from "./video-types.js";

/** Required fields of `POST /videos/image2video`. Throws an `InvalidRequestError` with all problems; nothing is sent. */
export function checkImageToVideoRequest(body: ImageToVideoRequest): void {
  const check = new Checker(body);
  check.requiredString("model_name");
  check.requiredString("prompt");
  check.requiredString("image");
  check.throwIfAny();
}

/** Required fields of `POST /videos/omni-video`. Throws an `InvalidRequestError` with all problems; nothing is sent. */
export function checkOmniVideoRequest(body: OmniVideoRequest): void {
  const check = new Checker(body);
  check.requiredString("model_name");
  check.requiredString("prompt");
  checkImageList(check, body.image_list);
  check.throwIfAny();
}

function checkImageList(check: Checker, list: unknown): void {
  if (list === undefined || list === null) return;
  if (!Array.isArray(list)) {
    check.add("image_list", "must be an array of { image_url }", list);
    return;
  }
  for (const [index, item] of list.entries()) {
    const url: unknown = item?.image_url;
    if (typeof url !== "string" || url === "") {
      check.add(`image_list[${index}].image_url`, "is required and must be a non-empty string", url);
    }
  }
}
