const encoder = new TextEncoder();

/** SHA-256 in hexadecimal digits. */
export async function digest(...parts: ReadonlyArray<string | ArrayBuffer>): Promise<string> {
  const blob = new Blob(parts.map((part) => (typeof part === "string" ? encoder.encode(part) : part)));
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", await blob.arrayBuffer()));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
