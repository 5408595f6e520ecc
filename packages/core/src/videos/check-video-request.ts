import { Checker } from "../checks/checker.js";
import type { VideoContentItem, VideoCreateRequest } from "./video-types.js";

/** API description, Limits and input combinations of `POST /videos`. */
const MAX_REFERENCE_IMAGES = 9;
const MAX_REFERENCE_VIDEOS = 3;

/** The field that holds the payload of each item type, and the roles the type may play. */
const ITEM_TYPES: Record<VideoContentItem["type"], { payload: string; roles: readonly string[] }> = {
  text: { payload: "text", roles: [] },
  image_url: { payload: "image_url", roles: ["first_frame", "last_frame", "reference_image"] },
  video_url: { payload: "video_url", roles: ["reference_video"] },
  audio_url: { payload: "audio_url", roles: ["reference_audio"] },
  draft_task: { payload: "draft_task", roles: [] },
};

/** Hard limits of `POST /videos`. Throws an `InvalidRequestError` with all problems; nothing is sent. */
export function checkVideoRequest(body: VideoCreateRequest): void {
  const check = new Checker(body);
  check.requiredString("model");
  check.requiredArray("content");
  const items: unknown[] = Array.isArray(body.content) ? body.content : [];
  for (const [index, item] of items.entries()) checkItem(check, `content[${index}]`, item);
  checkCombination(check, items as Item[]);
  check.throwIfAny();
}

function checkItem(check: Checker, field: string, item: unknown): void {
  const { type, role, ...rest } = (item ?? {}) as Record<string, unknown>;
  const known = ITEM_TYPES[type as VideoContentItem["type"]];
  if (known === undefined) {
    check.add(`${field}.type`, `must be one of ${Object.keys(ITEM_TYPES).join(", ")}`, type);
    return;
  }
  const payload = rest[known.payload];
  const missing =
    type === "text"
      ? typeof payload !== "string" || payload === ""
      : !hasAddress(payload, type === "draft_task");
  if (missing) {
    const path = type === "text" ? "text" : `${known.payload}.${type === "draft_task" ? "id" : "url"}`;
    check.add(`${field}.${path}`, "is required and must be a non-empty string", payload);
  }
  if (role !== undefined && !known.roles.includes(role as string)) {
    const allowed = known.roles.length > 0 ? `must be one of ${known.roles.join(", ")}` : "must be left out";
    check.add(`${field}.role`, `${allowed} for type ${String(type)}`, role);
  }
}

function hasAddress(payload: unknown, isTask: boolean): boolean {
  const value = (payload as Record<string, unknown> | null | undefined)?.[isTask ? "id" : "url"];
  return typeof value === "string" && value !== "";
}

type Item = { type?: unknown; role?: unknown } | null;

function checkCombination(check: Checker, items: readonly Item[]): void {
  const count = (type: VideoContentItem["type"], role?: string) =>
    items.filter((item) => item?.type === type && (role === undefined || item.role === role)).length;
  const referenceImages = count("image_url", "reference_image");
  if (referenceImages > MAX_REFERENCE_IMAGES) {
    check.add(
      "content",
      `may hold at most ${MAX_REFERENCE_IMAGES} images with role reference_image, and not ${referenceImages}`,
    );
  }
  const videos = count("video_url");
  if (videos > MAX_REFERENCE_VIDEOS) {
    check.add("content", `may hold at most ${MAX_REFERENCE_VIDEOS} reference videos, and not ${videos}`);
  }
  if (count("audio_url") > 0 && count("image_url") + videos === 0) {
    check.add("content", "must hold an image or a video beside reference audio");
  }
  for (const role of ["first_frame", "last_frame"]) {
    if (count("image_url", role) > 1) check.add("content", `may hold only one image with role ${role}`);
  }
  if (count("image_url", "last_frame") > 0 && count("image_url", "first_frame") === 0) {
    check.add("content", "must hold an image with role first_frame beside one with role last_frame");
  }
}
