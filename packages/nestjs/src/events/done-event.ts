import type { MessageEvent } from "@nestjs/common";

/**
 * Says that nothing more is to come. An `EventSource` that is merely cut off connects again, which asks
 * for nothing: close it on this one.
 */
export const DONE_EVENT: MessageEvent = { type: "done", data: "" };
