import { checkURL } from "../checks/check-url.js";
import { Field } from "../checks/field.js";
import { sniffImage } from "../media/sniff-image.js";
import { type Base64ImageOptions, checkBase64ImageOptions } from "./base64-image-options.js";

/** The names under which clients send the pictures; the first is the documented one. */
const IMAGE_FIELDS = ["image[]", "images", "images[]", "image"];
const MAX_IMAGES = 16;
const NUMBERS = ["output_compression", "partial_images", "n"];
const BOOLEANS = ["stream"];

/** A form of `POST /images/edits` that passed every check. */
export interface ImageEditRequest extends Base64ImageOptions {
  /** The encoded pictures, in order. */
  images: Uint8Array[];
  highFidelity: boolean;
}

/** The form as a body whose text fields have the types they stand for. */
export function readEditForm(form: unknown): Field {
  const typed: Record<string, unknown> = { ...Field.body(form).object() };
  for (const name of NUMBERS) {
    const text = typed[name];
    if (typeof text === "string" && /^-?\d+(?:\.\d+)?$/.test(text)) typed[name] = Number(text);
  }
  for (const name of BOOLEANS) {
    if (typed[name] === "true" || typed[name] === "false") typed[name] = typed[name] === "true";
  }
  return Field.body(typed);
}

/** Checks the form against what the model takes. @throws APIError 400 */
export async function checkImageEditRequest(body: Field): Promise<ImageEditRequest> {
  const images = await checkImages(body);
  const fidelity = body.get("input_fidelity").optional((field) => field.oneOf(["high", "low"]));
  await checkMask(body.get("mask"));
  const options = checkBase64ImageOptions(body);
  body.finish();
  return { ...options, images, highFidelity: fidelity === "high" };
}

async function checkImages(body: Field): Promise<Uint8Array[]> {
  const field = body.get(IMAGE_FIELDS.find((name) => body.get(name).present) ?? "image[]");
  const parts: unknown[] = field.present ? (Array.isArray(field.value) ? field.value : [field.value]) : [];
  if (parts.length === 0) {
    field.refuse(`is required: send 1 to ${MAX_IMAGES} file parts of this name`);
  }
  if (parts.length > MAX_IMAGES) field.refuse(`takes at most ${MAX_IMAGES} images (got ${parts.length})`);
  const images: Uint8Array[] = [];
  for (const [index, part] of parts.slice(0, MAX_IMAGES).entries()) {
    const bytes = await readImagePart(part);
    if (bytes) images.push(bytes);
    else field.refuse(`must be file parts that hold images (part ${index + 1} does not)`);
  }
  return images;
}

/** A mask is a picture, or JSON that says where one is. */
async function checkMask(field: Field): Promise<void> {
  if (!field.present) return;
  const form = `must be JSON text with file_id or image_url, or a file part that holds an image`;
  if (field.value instanceof File) {
    if (!(await readImagePart(field.value))) field.refuse(form);
    return;
  }
  const mask = typeof field.value === "string" ? parseObject(field.value) : undefined;
  if (!mask) {
    field.refuse(form);
    return;
  }
  const object = Field.body({ mask });
  const members = object.get("mask");
  members.get("file_id").optional((member) => member.nonEmptyString());
  members.get("image_url").optional((member) => checkURL(member, { data: "image" }));
  if (!members.get("file_id").present && !members.get("image_url").present) field.refuse(form);
  object.finish();
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return Field.body({ value: JSON.parse(text) })
      .get("value")
      .object();
  } catch {
    return undefined;
  }
}

async function readImagePart(part: unknown): Promise<Uint8Array | undefined> {
  if (!(part instanceof File)) return undefined;
  const bytes = new Uint8Array(await part.arrayBuffer());
  return sniffImage(bytes) === undefined ? undefined : bytes;
}
