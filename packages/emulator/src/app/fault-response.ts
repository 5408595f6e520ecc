import { abortableDelay } from "../http/abortable-delay.js";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import { ConnectionDropped } from "../http/connection-dropped.js";
import { isEventStream } from "../http/event-stream.js";
import type { Fault } from "../state/fault-store.js";

const DEFAULT_DELAY_MS = 1_000;
const DEFAULT_CHUNK_DELAY_MS = 200;
const PLAIN_BODY_PIECES = 8;

/** The error that a status fault, or a status marker in a prompt, answers. */
export function statusFaultError(status: number, cause: string): APIError {
  const message = `${cause} made this request answer ${status}.`;
  if (status === 429) return APIError.tooManyRequests(message);
  return new APIError(message, {
    status,
    code: status >= 500 ? "internal_error" : "injected_fault",
    headers: status === 503 ? { "retry-after": "1" } : {},
  });
}

/** The part of a fault that acts before the request is processed; a response here is the whole answer. */
export async function faultBefore(fault: Fault, signal: AbortSignal): Promise<Answer | undefined> {
  switch (fault.kind) {
    case "drop-before":
      throw new ConnectionDropped();
    case "status":
      throw statusFaultError(fault.status ?? 500, "A fault");
    case "html":
      return new Answer("<!doctype html><html><body><h1>Welcome to the proxy</h1></body></html>", {
        status: fault.status ?? 200,
        headers: { "content-type": "text/html; charset=utf-8" },
      });
    case "delay":
      await abortableDelay(fault.delayMs ?? DEFAULT_DELAY_MS, signal);
      return undefined;
    default:
      return undefined;
  }
}

/** The part of a fault that acts on the finished answer. */
export async function faultAfter(fault: Fault, response: Answer, signal: AbortSignal): Promise<Answer> {
  switch (fault.kind) {
    case "drop-after":
      await response.cancel();
      throw new ConnectionDropped();
    case "slow-stream":
      return replaceBody(
        response,
        inPieces(await splitBody(response), fault.delayMs ?? DEFAULT_CHUNK_DELAY_MS, signal),
      );
    case "cut-stream": {
      const pieces = await splitBody(response);
      return replaceBody(response, inPieces(pieces.slice(0, Math.ceil(pieces.length / 2)), 0, signal));
    }
    case "malformed-json": {
      if (!isEventStream(response) && !isJSON(response)) return response;
      const pieces = isEventStream(response) ? await splitEvents(response) : [await response.text()];
      const middle = Math.floor(pieces.length / 2);
      const broken = pieces.map((piece, index) => (index === middle ? breakJSON(piece) : piece));
      return replaceBody(response, inPieces(broken.map(encode), 0, signal));
    }
    default:
      return response;
  }
}

/** A stream by its events, any other body (which may be no text) in a few pieces. */
async function splitBody(response: Answer): Promise<Uint8Array[]> {
  if (isEventStream(response)) return (await splitEvents(response)).map(encode);
  const bytes = await response.bytes();
  const size = Math.max(1, Math.ceil(bytes.length / PLAIN_BODY_PIECES));
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

async function splitEvents(response: Answer): Promise<string[]> {
  return (await response.text()).split(/(?<=\n\n)/);
}

function isJSON(response: Answer): boolean {
  return response.headers.get("content-type")?.includes("json") ?? false;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Takes the second half off the JSON of an event or a body. */
function breakJSON(piece: string): string {
  const end = piece.endsWith("\n\n") ? "\n\n" : "";
  const content = piece.slice(0, piece.length - end.length);
  return content.slice(0, Math.floor(content.length / 2)) + end;
}

function inPieces(
  pieces: readonly Uint8Array[],
  delayMs: number,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  let index = 0;
  return new ReadableStream({
    async pull(controller) {
      const piece = pieces[index++];
      if (piece === undefined) {
        controller.close();
        return;
      }
      await abortableDelay(delayMs, signal);
      controller.enqueue(piece);
    },
  });
}

function replaceBody(response: Answer, body: ReadableStream<Uint8Array>): Answer {
  const replaced = response.withBody(body);
  replaced.headers.delete("content-length");
  return replaced;
}
