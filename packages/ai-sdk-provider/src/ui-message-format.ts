import { SERVER_SENT_EVENTS, type StreamFormat } from "@model-gateway/core/resumable";
import { UIStreamError } from "./ui-stream-error.js";

/** As `DefaultChatTransport` reads it; the ids are for readers that ask for the rest alone. */
export const UI_MESSAGE_FORMAT: StreamFormat = {
  headers: { ...SERVER_SENT_EVENTS.headers, "x-vercel-ai-ui-message-stream": "v1" },
  event: SERVER_SENT_EVENTS.event,
  end: (id) => `id: ${id}\ndata: [DONE]\n\n`,
  failure({ reason, eventId }, message) {
    const id = eventId === undefined ? "" : `id: ${eventId}\n`;
    return reason === "stopped"
      ? `${id}data: ${JSON.stringify({ type: "abort", reason: message })}\n\ndata: [DONE]\n\n`
      : `${id}data: ${JSON.stringify({ type: "error", errorText: message })}\n\n`;
  },
  // The application wrote it for the page.
  message: ({ errorName, message }) => (errorName === UIStreamError.NAME ? message : undefined),
};
