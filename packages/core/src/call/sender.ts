import type { APIKeySource } from "../checks/check-api-key.js";
import { AddressHealth } from "../config/addresses.js";
import type { GatewayConfig } from "../config/config.js";
import { GatewayError } from "../errors/gateway-error.js";
import { createObserver, createWarner, describeThrown, type PollFailedEvent } from "../hooks/observer.js";
import { SafeSpan } from "../hooks/tracer.js";
import type { Transport } from "../transport/transport.js";
import { VERSION } from "../version.js";
import { APIPromise, type WithResponse } from "./api-promise.js";
import { type ClientRuntime, eventOf, type FinishedCall, type Reading, tellFailure } from "./attempt.js";
import { type AnswerInfo, type Call, headOf, type RequestOptions, startDeadline } from "./call.js";
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
  /** @returns undefined where nobody traces */
  startSpan: ClientRuntime["startSpan"];
  /** Tells that a video task cannot be read at the moment. */
  onPollFailed(event: PollFailedEvent): void;
  /** The same with another key; places, pauses and budgets are shared. */
  withKey(apiKey: APIKeySource): Sender;
  /** The same with one `deadline` for all that it sends from now on: for what is one call to the caller and several here. */
  asOneCall(options: RequestOptions | undefined): Pick<Sender, "json">;
  /** Sends a call and reads its JSON answer. */
  json<T>(
    call: Call,
    options: RequestOptions | undefined,
    read: (body: unknown, unreadable: Unreadable, info: AnswerInfo) => T,
  ): APIPromise<T>;
  /**
   * Sends a call, and makes of its answer what the caller gets; with a reading, the answer is read as it comes.
   *
   * @param open what it throws is told as the failure of the call
   */
  run<E, T>(
    call: Call,
    options: RequestOptions,
    reading: Reading<E> | undefined,
    open: (finished: FinishedCall<E>) => WithResponse<T> | Promise<WithResponse<T>>,
  ): Promise<WithResponse<T>>;
}

export function createSender(config: GatewayConfig, transport: Transport): Sender {
  // A watch whose polls are refused waits without end: somebody has to hear of it.
  const warner = createObserver(undefined, console, config.logLevel);
  const warn = createWarner(config.logger ?? console, config.logLevel);
  const reportTracer = reportingOnce((error) =>
    warn(`Model Gateway: the tracer failed, which disturbs no call: ${describeThrown(error)}`),
  );
  const runtime: ClientRuntime = {
    config,
    transport,
    health: new AddressHealth(),
    gate: new CallGate(config.maxConcurrency),
    budget: new RetryBudget(config.retryBudget),
    observer: createObserver(config.hooks, config.logger, config.logLevel),
    startSpan: (call) => SafeSpan.start(config.tracer, call, reportTracer),
    headers: { accept: "application/json", "user-agent": `model-gateway-core/${VERSION}`, ...config.headers },
  };

  return senderOf(runtime, {
    warn,
    onPollFailed: (event) => {
      const heard = config.logger !== undefined || config.hooks?.onPollFailed !== undefined;
      (heard ? runtime.observer : warner)?.onPollFailed(event);
    },
  });
}

function senderOf(runtime: ClientRuntime, tells: Pick<Sender, "warn" | "onPollFailed">): Sender {
  const sender: Sender = {
    ...tells,
    startSpan: runtime.startSpan,

    withKey: (apiKey) => senderOf({ ...runtime, config: { ...runtime.config, apiKey } }, tells),

    asOneCall(options) {
      const deadline = startDeadline(options?.deadline ?? runtime.config.deadlineMs);
      return { json: (call, own, read) => sender.json({ ...call, deadline }, own, read) };
    },

    json(call, options = {}, read) {
      const answer = sender.run<never, ReturnType<typeof read>>(
        call,
        options,
        undefined,
        ({ body, info, context, span }) => {
          const unreadable = (what: string) => errorFromUnreadable(what, info.status, body, context);
          const result = readSafely(() => read(body, unreadable, info), unreadable);
          span?.end({ ...headOf(info), result });
          return withResponse(result, info);
        },
      );
      return new APIPromise(answer);
    },

    async run(call, options, reading, open) {
      const finished = await runWithRetries(runtime, call, options, reading);
      try {
        const opened = await open(finished);
        runtime.config.prices?.settle(call, finished, opened.data);
        finished.expense?.answered(opened.data, finished.reader !== undefined);
        finished.handOut?.();
        return opened;
      } catch (error) {
        // Answered, and yet not what was asked for: a failure of the call like any other.
        const { context, info, span, expense } = finished;
        expense?.failed();
        span?.end({ ...headOf(info), error });
        tellFailure(runtime.observer, eventOf(call, context.address, info.timeline.length), error);
        throw error;
      }
    },
  };
  return sender;
}

/** The same function fails the same way over and over. */
function reportingOnce(report: (error: unknown) => void): (error: unknown) => void {
  let reported = false;
  return (error) => {
    if (!reported) report(error);
    reported = true;
  };
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
