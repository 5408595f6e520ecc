import { AddressHealth } from "../config/addresses.js";
import type { GatewayConfig } from "../config/config.js";
import { GatewayError } from "../errors/gateway-error.js";
import { createObserver, createWarner, type PollFailedEvent } from "../hooks/observer.js";
import type { Transport } from "../transport/transport.js";
import { VERSION } from "../version.js";
import { APIPromise, type WithResponse } from "./api-promise.js";
import type { ClientRuntime, FinishedCall, Reading } from "./attempt.js";
import { type AnswerInfo, type Call, type RequestOptions, startDeadline } from "./call.js";
import { errorFromUnreadable } from "./call-errors.js";
import { CallGate } from "./call-gate.js";
import { RetryBudget } from "./retry-budget.js";
import { runWithRetries } from "./retry-loop.js";

/** Throw away an answer that is no answer: builds the `InvalidResponseError` to throw. */
export type Unreadable = (what: string) => Error;

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
  /** Sends a call whose answer is read as it comes; see `openStream` and `openBytes`. */
  run<E>(call: Call, options: RequestOptions, reading: Reading<E>): Promise<FinishedCall<E>>;
}

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

    run: (call, options, reading) => runWithRetries(runtime, call, options, reading),
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

/** A result with what came along with it. */
export function withResponse<T>(data: T, info: AnswerInfo): WithResponse<T> {
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
