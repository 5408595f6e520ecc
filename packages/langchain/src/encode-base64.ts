/** Arguments that one call of a function takes on every engine. */
const CHUNK = 0x8000;

/** Base64 of bytes, without anything that only Node has. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  }
  return btoa(binary);
}
