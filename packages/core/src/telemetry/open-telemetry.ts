import {
  type Attributes,
  type Context,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { GatewayError } from "../errors/gateway-error.js";
import type { CallEnd, CallSpan, GatewayTracer, TracedCall } from "../hooks/tracer.js";
import type { TraceContext } from "../tasks/trace-context.js";
import { VERSION } from "../version.js";
import { contentOfAnswer, contentOfRequest } from "./message-attributes.js";
import { requestAttributes } from "./request-attributes.js";
import { resultAttributes } from "./result-attributes.js";

/** Options of `openTelemetry`. */
export interface OpenTelemetryOptions {
  /** Default: the tracer `@model-gateway/core` of the global provider, looked up at each call. */
  tracer?: Tracer;
  /**
   * Whether what users and models wrote in chats goes into the spans, as `gen_ai.input.messages` and
   * `gen_ai.output.messages`. Default false: prompts and answers are in no span.
   */
  captureContent?: boolean;
}

/**
 * Makes a span of each call, by the semantic conventions for generative AI: the option `tracer` of a client. A span lasts until
 * the answer is whole, streams until their end; attempts after the first are events in it. The handle of a video task keeps the
 * trace of its submission, so that its polls belong there, in whatever process and after whatever restart.
 *
 * @example
 * new ModelGateway({ tracer: openTelemetry() })
 */
export function openTelemetry({ tracer, captureContent = false }: OpenTelemetryOptions = {}): GatewayTracer {
  return {
    startCall(call) {
      const used = tracer ?? trace.getTracer("@model-gateway/core", VERSION);
      const parent = call.parent === undefined ? context.active() : contextOf(call.parent);
      const attributes = requestAttributes(call);
      const name = [attributes["gen_ai.operation.name"] ?? call.call, call.model].filter(Boolean).join(" ");
      const span = used.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent);
      if (captureContent && span.isRecording()) span.setAttributes(contentOfRequest(call));
      return new OpenTelemetrySpan(span, call, trace.setSpan(parent, span), captureContent);
    },
    within: withTrace,
  };
}

/**
 * Runs a function as a part of a trace that began elsewhere: `withTrace(task.handle.trace, () => saveDownload(…))`. Without a
 * trace it just runs it.
 *
 * @returns what `run` returns
 */
export function withTrace<T>(from: TraceContext | undefined, run: () => T): T {
  return from === undefined ? run() : context.with(contextOf(from), run);
}

class OpenTelemetrySpan implements CallSpan {
  constructor(
    private readonly span: Span,
    private readonly call: TracedCall,
    private readonly inside: Context,
    private readonly captureContent: boolean,
  ) {}

  get context(): TraceContext | undefined {
    return traceContextOf(this.inside);
  }

  run<T>(work: () => T): T {
    return context.with(this.inside, work);
  }

  onRetry({ reason, delayMs }: { reason: string; delayMs: number }): void {
    this.span.addEvent("retry", { reason, "delay.ms": Math.round(delayMs) });
  }

  onFailover({ to }: { to: string }): void {
    this.span.addEvent("failover", { to });
  }

  end({ attempts, status, requestId, result, outcome, error }: CallEnd): void {
    const { span } = this;
    span.setAttributes({
      "model_gateway.attempts": attempts,
      "http.response.status_code": status,
      "model_gateway.request.id": requestId,
      "model_gateway.stream.outcome": outcome,
      ...resultAttributes(this.call, result),
      ...(this.captureContent ? contentOfAnswer(result) : {}),
      ...errorAttributes(error),
    });
    const kind = error === undefined ? brokenStream(outcome) : kindOf(error);
    if (kind !== undefined) {
      span.setAttribute("error.type", kind);
      // Messages of errors may quote what users wrote.
      span.setStatus({ code: SpanStatusCode.ERROR, message: kind });
    }
    span.end();
  }
}

/** A reader that leaves, and an abort, are no failures of the call. */
function brokenStream(outcome: CallEnd["outcome"]): string | undefined {
  return outcome === "interrupted" ? "stream_interrupted" : undefined;
}

function kindOf(error: unknown): string {
  if (GatewayError.isInstance(error)) return error.kind;
  return error instanceof Error ? error.name : "_OTHER";
}

function errorAttributes(error: unknown): Attributes {
  if (!GatewayError.isInstance(error)) return {};
  const { status } = error as { status?: number };
  const { requestId, maybeProcessed } = error;
  return {
    ...(status !== undefined && { "http.response.status_code": status }),
    ...(requestId !== undefined && { "model_gateway.request.id": requestId }),
    ...(maybeProcessed && { "model_gateway.maybe_processed": true }),
  };
}

function contextOf(from: TraceContext): Context {
  return propagation.extract(context.active(), from);
}

function traceContextOf(inside: Context): TraceContext | undefined {
  const carrier: { traceparent?: string; tracestate?: string } = {};
  propagation.inject(inside, carrier);
  const { traceparent, tracestate } = carrier;
  if (traceparent === undefined) return undefined;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}
