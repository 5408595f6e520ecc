import { readChatRequest } from "./read-chat-request.js";

/** The chat that a request of `DefaultChatTransport` is about, wherever it says so. */
export async function chatKeyOf(request: Request): Promise<string | undefined> {
  const { pathname, searchParams } = new URL(request.url);
  const key = searchParams.get("key");
  if (key !== null) return key;
  const [, encoded] = /\/([^/]+)\/stream\/?$/.exec(pathname) ?? [];
  if (encoded !== undefined) return decode(encoded);
  const { id } = await readChatRequest(request);
  return typeof id === "string" ? id : undefined;
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
