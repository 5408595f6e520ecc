/** @returns the bytes, or undefined when the text is not Base64; line breaks and the URL-safe alphabet are accepted */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
    const bytes = new Uint8Array(binary.length);
    for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
    return bytes;
  } catch {
    return undefined;
  }
}

/** Bytes as Base64. In steps, because a call takes a limited number of arguments. */
export function encodeBase64(bytes: Uint8Array): string {
  const step = 0x8000;
  let binary = "";
  for (let start = 0; start < bytes.length; start += step) {
    binary += String.fromCharCode(...bytes.subarray(start, start + step));
  }
  return btoa(binary);
}
