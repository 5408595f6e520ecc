/** The chat that a request of `DefaultChatTransport` is about, wherever it says so. */
export async function chatKeyOf(request: Request): Promise<string | undefined> {
  const { pathname, searchParams } = new URL(request.url);
  const key = searchParams.get("key");
  if (key !== null) return key;
  const [, encoded] = /\/([^/]+)\/stream\/?$/.exec(pathname) ?? [];
  if (encoded !== undefined) return decode(encoded);
  if (request.body === null) return undefined;
  const body: unknown = await request.json().catch(() => undefined);
  const { id } = (body ?? {}) as { id?: unknown };
  return typeof id === "string" ? id : undefined;
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
