/** What of a request of `DefaultChatTransport` is read here; an application may send anything else. */
export interface ChatRequest {
  /** Of the chat. */
  id?: unknown;
  trigger?: unknown;
}

/** @returns nothing of a request that is something else */
export async function readChatRequest(request: Request): Promise<ChatRequest> {
  if (request.body === null) return {};
  const body: unknown = await request.json().catch(() => undefined);
  return typeof body === "object" && body !== null ? body : {};
}
