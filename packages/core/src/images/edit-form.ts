import type { FormPart } from "../transport/multipart.js";
import type { ImageEditRequest, ImageInput } from "./image-types.js";

const EXTENSIONS: Record<string, string> = { "image/png": "png", "image/jpeg": "jpg", "image/webp": "webp" };

/** The parts of an edit: images in order as `image[]`, the mask, then everything else as text. */
export function editForm({ images, mask, ...fields }: ImageEditRequest, stream: boolean): FormPart[] {
  const parts: FormPart[] = images.map((image, index) => filePart("image[]", image, `image-${index + 1}`));
  if (mask !== undefined) parts.push(maskPart(mask));
  for (const [name, value] of Object.entries({ ...fields, ...(stream ? { stream } : {}) })) {
    if (value === undefined || value === null) continue;
    parts.push({ name, value: typeof value === "object" ? JSON.stringify(value) : String(value) });
  }
  return parts;
}

function maskPart(mask: NonNullable<ImageEditRequest["mask"]>): FormPart {
  const isFile =
    mask instanceof Blob || mask instanceof Uint8Array || mask instanceof ReadableStream || "data" in mask;
  return isFile
    ? filePart("mask", mask as ImageInput, "mask")
    : { name: "mask", value: JSON.stringify(mask) };
}

function filePart(name: string, input: ImageInput, fallbackName: string): FormPart {
  const plain = input instanceof Blob || input instanceof Uint8Array || input instanceof ReadableStream;
  const { data, filename, mediaType } = plain
    ? { data: input, filename: undefined, mediaType: undefined }
    : input;
  const fromBlob = data instanceof Blob && data.type !== "" ? data.type : undefined;
  const nameOfFile = "name" in data && typeof data.name === "string" ? data.name : undefined;
  const type = mediaType ?? fromBlob ?? sniff(data) ?? "application/octet-stream";
  const extension = EXTENSIONS[type];
  return {
    name,
    data,
    mediaType: type,
    filename:
      filename ?? nameOfFile ?? (extension === undefined ? fallbackName : `${fallbackName}.${extension}`),
  };
}

/** Some servers look at the declared type only: PNG, JPEG and WebP bytes tell theirs. */
function sniff(data: unknown): string | undefined {
  if (!(data instanceof Uint8Array)) return undefined;
  const [a, b, c] = data;
  if (a === 0x89 && b === 0x50) return "image/png";
  if (a === 0xff && b === 0xd8 && c === 0xff) return "image/jpeg";
  const isWebP = a === 0x52 && b === 0x49 && data[8] === 0x57 && data[9] === 0x45;
  return isWebP ? "image/webp" : undefined;
}
