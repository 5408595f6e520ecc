import { readChatRequest } from "./read-chat-request.js";

/** Two of those in a row are the same to the byte, and each wants an answer of its own. */
export async function isRegeneration(request: Request): Promise<boolean> {
  return (await readChatRequest(request)).trigger === "regenerate-message";
}
