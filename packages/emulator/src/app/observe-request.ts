import { randomUUID } from "node:crypto";
import type { Services } from "../api/services.js";
import type { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import { splitBasePath } from "../http/base-kinds.js";
import { ConnectionDropped } from "../http/connection-dropped.js";
import { isEventStream } from "../http/event-stream.js";
import { authorizationOf } from "../native/kling-token.js";
import { NATIVE_PATHS } from "../native/native-paths.js";
import { errorResponse } from "../profiles/error-envelopes.js";
import type { JournalEntry } from "../state/journal.js";
import { maskKey } from "../state/key-store.js";
import type { Recording } from "../state/recording.js";

/** What the endpoint is told about a request under observation. */
export interface ObservedRequest {
  request: Request;
  url: URL;
  /** The path below the base address. */
  path: string;
  /** The `Authorization` header, and its bearer token: as sent, unchecked. */
  authorization: string | null;
  token: string | null;
  /** Headers of the answer, whatever it is. */
  headers: Record<string, string>;
  /** The journal entry under way. */
  entry: JournalEntry;
  /** The body as it came, once it is read, where it is text. */
  text?: string;
  /** Keeps what comes and goes, where it is kept whole. */
  recording: Recording | undefined;
  /** Aborts when the client leaves or the emulator closes. */
  signal: AbortSignal;
}

/**
 * Puts a journal entry, an `x-request-id`, an abort signal and the Error body around whatever answers.
 *
 * @throws ConnectionDropped when a fault destroys the connection, and the abort reason when the client has gone
 */
export async function observeRequest(
  services: Services,
  request: Request,
  answer: (observed: ObservedRequest) => Answer | Promise<Answer>,
): Promise<Answer> {
  const started = performance.now();
  const url = new URL(request.url);
  const { base, path } = splitBasePath(url.pathname, NATIVE_PATHS[services.profile.tasks].base);
  const authorization = authorizationOf(request, services.profile);
  const token = bearerToken(authorization);
  const entry: JournalEntry = {
    id: randomUUID(),
    time: services.clock.now(),
    method: request.method,
    path,
    base,
    key: token === null ? null : maskKey(token),
    model: null,
    status: null,
    durationMs: 0,
    complete: false,
  };
  const recording = services.journal.add(entry, token, request);

  const controller = new AbortController();
  const onClientGone = () => controller.abort(request.signal.reason);
  request.signal.addEventListener("abort", onClientGone, { once: true });
  if (request.signal.aborted) onClientGone();
  services.openExchanges.add(controller);
  const finish = (complete: boolean) => {
    entry.durationMs = performance.now() - started;
    entry.complete = complete;
    services.openExchanges.delete(controller);
    services.journal.ended(entry);
    request.signal.removeEventListener("abort", onClientGone);
  };

  const headers: Record<string, string> = { "x-request-id": entry.id };
  let response: Answer;
  try {
    response = await answer({
      request,
      url,
      path,
      authorization,
      token,
      headers,
      entry,
      recording,
      signal: controller.signal,
    });
  } catch (error) {
    if (controller.signal.aborted || error instanceof ConnectionDropped) {
      finish(false);
      throw error;
    }
    const refusal = error instanceof APIError ? error : unexpected(error, entry);
    response = errorResponse(services.profile, refusal, { path, requestId: entry.id, token });
  }
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  entry.status = response.status;
  recording?.answered(response.headers);
  const { body } = response;
  const isKept = recording !== undefined || isEventStream(response);
  if (body !== null && isKept) services.journal.changed(entry);
  if (body instanceof ReadableStream && isKept) {
    return response.withBody(watchBody(body, recording, finish));
  }
  // What is known whole has been handed over with the answer.
  if (typeof body === "string") recording?.wrote(Buffer.from(body));
  else if (body instanceof Uint8Array) recording?.wrote(body);
  finish(true);
  return response;
}

function bearerToken(authorization: string | null): string | null {
  return /^Bearer +(\S+)$/i.exec(authorization?.trim() ?? "")?.[1] ?? null;
}

/** Passes a body on, keeps it, and reports when it has ended, or was left early. */
function watchBody(
  body: ReadableStream<Uint8Array>,
  recording: Recording | undefined,
  finish: (complete: boolean) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          recording?.wrote(value);
          controller.enqueue(value);
          return;
        }
        finish(true);
        controller.close();
      } catch (error) {
        finish(false);
        throw error;
      }
    },
    cancel(reason) {
      finish(false);
      return reader.cancel(reason);
    },
  };
  // Nothing is read ahead: an error would take with it what was not taken yet.
  return new ReadableStream(source, { highWaterMark: 0 });
}

function unexpected(error: unknown, entry: JournalEntry): APIError {
  entry.failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new APIError(
    "The emulator failed; its journal holds the reason under this response's x-request-id.",
    {
      status: 500,
      code: "internal_error",
    },
  );
}
