import type { TraceContext } from "../tasks/trace-context.js";
import type { StreamEndEvent } from "./observer.js";

/** A call that begins: one, however many attempts it takes. */
export interface TracedCall {
  /** The call as written: `chat.completions.create`. */
  call: string;
  method: string;
  /** Path below the base address. */
  path: string;
  /** Where it goes to first. */
  origin: string;
  /** The JSON body; undefined where there is none. Holds what users wrote: leave that out of traces. */
  body?: unknown;
  /** The model that was asked for, where one was. */
  model?: string;
  /** What the call belongs to in place of what runs at the moment: the submission of the task that it reads. */
  parent?: TraceContext;
}

/** How a call ended. */
export interface CallEnd {
  attempts: number;
  /** HTTP status of the last answer. */
  status?: number;
  requestId?: string;
  /** What the caller gets; of a stream, what had arrived, added up. Holds what models wrote: leave that out of traces. */
  result?: unknown;
  /** Of a stream. */
  outcome?: StreamEndEvent["outcome"];
  /** What the caller gets instead. */
  error?: unknown;
}

/** The part of a trace that one call is. */
export interface CallSpan {
  /** Where what comes of the call later belongs to. */
  readonly context?: TraceContext | undefined;
  /** Runs the work of the call, so that what it starts belongs to it. Returns what `work` returns. */
  run<T>(work: () => T): T;
  /** A failed attempt will be repeated. */
  onRetry?(event: { reason: string; delayMs: number }): void;
  /** The next attempt goes to another address. */
  onFailover?(event: { to: string }): void;
  /** The call is over, its stream included. Called once. */
  end(end: CallEnd): void;
}

/** Makes spans of calls; `openTelemetry()` of `@model-gateway/core/opentelemetry` is one. */
export interface GatewayTracer {
  /** @returns undefined for a call that is not to be traced */
  startCall(call: TracedCall): CallSpan | undefined;
  /**
   * Runs something as a part of a trace that began elsewhere, such as what follows the end of a video task in that of its
   * submission. Returns what `run` returns. Default: what runs stands by itself.
   */
  within?<T>(trace: TraceContext, run: () => T): T;
}

type StreamEnd = Pick<CallEnd, "outcome" | "result">;
type AnswerHead = Pick<CallEnd, "attempts" | "status" | "requestId">;

/** What a span is told of a stream, in whatever order: a short one is over before the caller gets it. */
interface StreamPart {
  ended(end: StreamEnd): void;
  handedOut(head: AnswerHead): void;
}

/** A span that disturbs no call, whatever the tracer throws, and that ends once. */
export class SafeSpan {
  #over = false;
  readonly #span: CallSpan;
  readonly #report: (error: unknown) => void;

  private constructor(span: CallSpan, report: (error: unknown) => void) {
    this.#span = span;
    this.#report = report;
  }

  /** @returns undefined where nobody traces */
  static start(
    tracer: GatewayTracer | undefined,
    call: () => TracedCall,
    report: (error: unknown) => void,
  ): SafeSpan | undefined {
    try {
      const span = tracer?.startCall(call());
      return span && new SafeSpan(span, report);
    } catch (error) {
      report(error);
      return undefined;
    }
  }

  get context(): TraceContext | undefined {
    return this.#safely(() => this.#span.context);
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    let begun: Promise<T> | undefined;
    // Also where the tracer does not, and not twice where it does and then throws.
    const once = () => {
      begun ??= work();
      return begun;
    };
    this.#safely(() => this.#span.run(once));
    return once();
  }

  onRetry(event: { reason: string; delayMs: number }): void {
    this.#safely(() => this.#span.onRetry?.(event));
  }

  onFailover(event: { to: string }): void {
    this.#safely(() => this.#span.onFailover?.(event));
  }

  /** The stream of one attempt. It ends the span if it is the one that the caller got: an attempt may be repeated. */
  stream(): StreamPart {
    let end: StreamEnd | undefined;
    let head: AnswerHead | undefined;
    const both = () => {
      if (end !== undefined && head !== undefined) this.end({ ...head, ...end });
    };
    return {
      ended(how) {
        end = how;
        both();
      },
      handedOut(answer) {
        head = answer;
        both();
      },
    };
  }

  end(end: CallEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.#safely(() => this.#span.end(end));
  }

  #safely<T>(run: () => T): T | undefined {
    try {
      return run();
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }
}
