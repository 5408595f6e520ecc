import type { MediaFiles } from "./media-files.js";

const LARGEST_INPUT_BYTES = 30 * 1_024 * 1_024;

/**
 * The bytes of an input image: of a data URL, of bare Base64, or of a file that this emulator itself serves.
 * Undefined for what lies elsewhere, which is never fetched, and for what is too large.
 */
export async function readInputImage(
  { files }: { files: MediaFiles },
  input: string,
): Promise<Uint8Array | undefined> {
  if (/^https?:/i.test(input)) return (await files.readByURL(input))?.bytes;
  if (input.length > (LARGEST_INPUT_BYTES * 4) / 3) return undefined;
  const encoded = input.startsWith("data:") ? input.slice(input.indexOf(",") + 1) : input;
  return new Uint8Array(Buffer.from(encoded, "base64"));
}

/** Those of the inputs that can be read, in order. */
export async function readInputImages(
  services: { files: MediaFiles },
  inputs: readonly string[],
): Promise<Uint8Array[]> {
  const images = await Promise.all(inputs.map((input) => readInputImage(services, input)));
  return images.filter((image) => image !== undefined);
}
