import { AddressHealth } from "../config/addresses.js";
import type { GatewayConfig } from "../config/config.js";
import { GatewayError } from "../errors/gateway-error.js";
import { createObserver, createWarner, type PollFailedEvent } from "../hooks/observer.js";
import { QueueReader } from "../streams/async-queue.js";
import { type ByteBody, createByteBody } from "../streams/byte-body.js";
import { ByteReader } from "../streams/byte-reader.js";
import { JSONStreamReader, type StreamShape } from "../streams/json-stream-reader.js";
import type { Transport } from "../transport/transport.js";
import { VERSION } from "../version.js";
import { APIPromise, type WithResponse } from "./api-promise.js";
import type { ClientRuntime, Reading } from "./attempt.js";
import { type AnswerInfo, type Call, type RequestOptions, startDeadline } from "./call.js";
import { type ErrorContext, errorFromFailure, errorFromUnreadable, streamErrorsOf } from "./call-errors.js";
import { CallGate } from "./call-gate.js";
import { expectBinary } from "./expect-binary.js";
import { RetryBudget } from "./retry-budget.js";
import { runWithRetries } from "./retry-loop.js";

/** Throw away an answer that is no answer: builds the `InvalidResponseError` to throw. */
export type Unreadable = (what: string) => Error;

/** A stream whose head has arrived. */
export interface OpenStream<E> {
  queue: QueueReader<E>;
  /** Ends the stream with an `APIUserAbortError` and closes the connection. */
  abort(reason?: unknown): void;
}

/** Sends calls. Resources get this and nothing else: it keeps the key and the policy in its closure. */
export interface Sender {
  /** Tells what has nothing to do with one call: the logger, or the console where there is none. */
  warn(text: string): void;
  /** Tells that a video task cannot be read at the moment. */
  onPollFailed(event: PollFailedEvent): void;
  /** The same with one `deadline` for all that it sends from now on: for what is one call to the caller and several here. */
  asOneCall(options: RequestOptions | undefined): Pick<Sender, "json">;
  /** Sends a call and reads its JSON answer. */
  json<T>(
    call: Call,
    options: RequestOptions | undefined,
    read: (body: unknown, unreadable: Unreadable, info: AnswerInfo) => T,
  ): APIPromise<T>;
  /** Sends a call and reads its answer as a stream of JSON events. */
  stream<E, T>(
    call: Call,
    options: RequestOptions | undefined,
    shape: () => StreamShape<E>,
    wrap: (stream: OpenStream<E>) => T,
  ): APIPromise<T>;
  /** Sends a call and reads its answer as bytes. Text of any kind is an error, whatever its status and type. */
  bytes<T>(
    call: Call,
    options: RequestOptions | undefined,
    wrap: (body: ByteBody, contentType: string | undefined) => T,
  ): APIPromise<T>;
}

/** Largest answer that is passed on as bytes. */
const MAX_BINARY_BYTES = 2 * 2 ** 30;

export function createSender(config: GatewayConfig, transport: Transport): Sender {
  // A watch whose polls are refused waits without end: somebody has to hear of it.
  const warner = createObserver(undefined, console, config.logLevel);
  const runtime: ClientRuntime = {
    config,
    transport,
    health: new AddressHealth(),
    gate: new CallGate(config.maxConcurrency),
    budget: new RetryBudget(config.retryBudget),
    observer: createObserver(config.hooks, config.logger, config.logLevel),
    headers: { accept: "application/json", "user-agent": `model-gateway-core/${VERSION}`, ...config.headers },
  };

  const sender: Sender = {
    warn: createWarner(config.logger ?? console, config.logLevel),

    onPollFailed: (event) => {
      const heard = config.logger !== undefined || config.hooks?.onPollFailed !== undefined;
      (heard ? runtime.observer : warner)?.onPollFailed(event);
    },

    asOneCall(options) {
      const deadline = startDeadline(options?.deadline ?? config.deadlineMs);
      return { json: (call, own, read) => sender.json({ ...call, deadline }, own, read) };
    },

    json(call, options = {}, read) {
      return new APIPromise(
        runWithRetries<never>(runtime, call, options).then(({ body, info, context }) => {
          const unreadable = (what: string) => errorFromUnreadable(what, info.status, body, context);
          return withResponse(
            readSafely(() => read(body, unreadable, info), unreadable),
            info,
          );
        }),
      );
    },

    stream(call, options = {}, shape, wrap) {
      const reading = {
        accept: "text/event-stream",
        createReader: (context: ErrorContext) => new JSONStreamReader(shape(), streamErrorsOf(context)),
      };
      return new APIPromise(
        runWithRetries(runtime, call, options, reading).then(
          ({ answer: { stream }, body, info, context }) => {
            if (stream === undefined) {
              throw errorFromUnreadable(
                "a whole answer where a stream was asked for",
                info.status,
                body,
                context,
              );
            }
            const abort = (reason?: unknown) =>
              stream.cancel(errorFromFailure({ kind: "aborted", cause: reason, sent: true }, context));
            return withResponse(wrap({ queue: new QueueReader(stream), abort }), info);
          },
        ),
      );
    },

    bytes(call, options = {}, wrap) {
      const reading: Reading<Uint8Array> = {
        accept: "*/*",
        streams: "any",
        streamLimit: "whole",
        createReader: (context) => new ByteReader(MAX_BINARY_BYTES, streamErrorsOf(context)),
      };
      return new APIPromise(
        runWithRetries(runtime, call, options, reading).then(
          async ({ answer: { stream }, info, context }) => {
            if (stream === undefined) throw errorFromUnreadable("no body", info.status, undefined, context);
            await expectBinary(stream, info, context);
            return withResponse(wrap(createByteBody(stream), info.headers.get("content-type")), info);
          },
        ),
      );
    },
  };
  return sender;
}

/** Readers trust the shape that is documented; a route that sends another one must not crash them. */
function readSafely<T>(read: () => T, unreadable: Unreadable): T {
  try {
    return read();
  } catch (error) {
    throw GatewayError.isInstance(error) ? error : unreadable("JSON of an unknown shape");
  }
}

function withResponse<T>(data: T, info: AnswerInfo): WithResponse<T> {
  return {
    data,
    // Built when somebody looks: most callers never do.
    get response() {
      return { status: info.status, headers: new Headers(info.headers.toRecord()), url: info.url };
    },
    requestId: info.requestId,
    attempts: info.timeline.length,
  };
}
