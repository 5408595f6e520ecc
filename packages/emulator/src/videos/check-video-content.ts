import { checkURL } from "../checks/check-url.js";
import type { Field } from "../checks/field.js";
import type { VideoModelEntry } from "../state/model-table.js";

const ITEM_TYPES = ["text", "image_url", "video_url", "audio_url", "draft_task"] as const;
const IMAGE_ROLES = ["first_frame", "last_frame", "reference_image"] as const;
const IMAGE_FORMATS = ["jpeg", "jpg", "png", "webp", "bmp", "tiff", "gif", "heic", "heif"] as const;
const AUDIO_FORMATS = ["wav", "x-wav", "wave", "vnd.wave", "mp3", "mpeg"] as const;
const MAX_REFERENCE_IMAGES = 9;
const MAX_REFERENCE_VIDEOS = 3;

type ImageRole = (typeof IMAGE_ROLES)[number];

/** The inputs of a task, sorted by what they are for. */
export interface CheckedContent {
  text: string;
  /** URLs of the images by role. */
  images: { role: ImageRole; url: string }[];
  draftTaskId?: string;
}

interface Inventory {
  texts: Field[];
  images: { field: Field; role: ImageRole | undefined; url: string | undefined }[];
  videos: Field[];
  audios: Field[];
  drafts: { field: Field; id: string | undefined }[];
}

/** Checks `content`: every item by itself, then the combination against the scenarios of the API description. */
export function checkVideoContent(content: Field, model: VideoModelEntry): CheckedContent {
  const inventory: Inventory = { texts: [], images: [], videos: [], audios: [], drafts: [] };
  let text = "";
  for (const item of content.nonEmptyItems("a non-empty array of input items") ?? []) {
    if (!item.object()) continue;
    switch (item.get("type").oneOf(ITEM_TYPES)) {
      case "text":
        text = item.get("text").nonEmptyString() ?? "";
        if (item.get("role").present) item.get("role").refuse("does not go with a text item");
        inventory.texts.push(item);
        break;
      case "image_url":
        inventory.images.push(checkImage(item));
        break;
      case "video_url":
        checkURL(urlOf(item, "video_url"), { asset: true });
        checkReference(item, "reference_video", model);
        inventory.videos.push(item);
        break;
      case "audio_url":
        checkURL(urlOf(item, "audio_url"), { data: "audio", subtypes: AUDIO_FORMATS, asset: true });
        checkReference(item, "reference_audio", model);
        inventory.audios.push(item);
        break;
      case "draft_task":
        inventory.drafts.push({ field: item, id: checkDraftTask(item, model) });
        break;
      case undefined:
        break;
    }
  }
  // A combination can be judged only when the items themselves were understood.
  if (Array.isArray(content.value) && content.value.length > 0) checkCombination(content, inventory, model);
  return {
    text,
    images: inventory.images.flatMap(({ role, url }) =>
      url === undefined ? [] : [{ role: role ?? "first_frame", url }],
    ),
    draftTaskId: inventory.drafts[0]?.id,
  };
}

function checkImage(item: Field): Inventory["images"][number] {
  const url = checkURL(urlOf(item, "image_url"), { data: "image", subtypes: IMAGE_FORMATS, asset: true });
  const role = item.get("role").optional((field) => field.oneOf(IMAGE_ROLES));
  return { field: item, role, url };
}

function checkReference(item: Field, role: string, model: VideoModelEntry): void {
  item.get("role").oneOf([role]);
  if (model.series !== "2.0")
    item.get("type").refuse(`${role} is not supported by ${model.id} (2.0 series only)`);
}

function checkDraftTask(item: Field, model: VideoModelEntry): string | undefined {
  if (model.series !== "1.5-pro")
    item.get("type").refuse(`draft_task is not supported by ${model.id} (1.5 Pro only)`);
  const draft = item.get("draft_task");
  return draft.object() ? draft.get("id").nonEmptyString() : undefined;
}

function urlOf(item: Field, member: string): Field {
  const holder = item.get(member);
  if (holder.present && !holder.object()) return holder;
  return holder.get("url");
}

function checkCombination(content: Field, inventory: Inventory, model: VideoModelEntry): void {
  const { texts, images, videos, audios, drafts } = inventory;
  const firstFrames = images.filter(({ role }) => role === "first_frame");
  const lastFrames = images.filter(({ role }) => role === "last_frame");
  const references = images.filter(({ role }) => role === "reference_image");
  const withoutRole = images.filter(({ field }) => !field.get("role").present);
  const media = images.length + videos.length + audios.length;

  if (drafts.length > 0) {
    if (drafts.length > 1) content.refuse("takes at most one draft_task item");
    if (media > 0) content.refuse("cannot mix a draft_task item with images, videos or audio");
    return;
  }
  if (texts.length !== 1) content.refuse(`must hold exactly one text item (got ${texts.length})`);
  if (audios.length > 0 && images.length + videos.length === 0) {
    content.refuse("cannot hold audio alone: reference_audio needs at least one image or video");
  }
  if (withoutRole.length > 0 && images.length > 1) {
    withoutRole[0]?.field
      .get("role")
      .refuse("is required when there are several images; only a single first-frame image may omit it");
  }
  if (firstFrames.length > 1) content.refuse("takes at most one image with role first_frame");
  if (lastFrames.length > 1) content.refuse("takes at most one image with role last_frame");
  if (lastFrames.length > 0 && firstFrames.length + withoutRole.length === 0) {
    content.refuse("with a last_frame image needs a first_frame image too");
  }
  if (references.length > MAX_REFERENCE_IMAGES) {
    content.refuse(`takes 1 to ${MAX_REFERENCE_IMAGES} reference_image items (got ${references.length})`);
  }
  if (references.length > 0 && model.series !== "2.0") {
    references[0]?.field
      .get("role")
      .refuse(`reference_image is not supported by ${model.id} (2.0 series only)`);
  }
  if (videos.length > MAX_REFERENCE_VIDEOS) {
    content.refuse(`takes at most ${MAX_REFERENCE_VIDEOS} reference_video items (got ${videos.length})`);
  }
  const frames = firstFrames.length + lastFrames.length + withoutRole.length;
  if (frames > 0 && references.length + videos.length + audios.length > 0) {
    content.refuse(
      "cannot mix first_frame or last_frame images with reference inputs; use either frames or reference_image, reference_video and reference_audio items",
    );
  }
}
