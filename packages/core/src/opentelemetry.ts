/** What needs OpenTelemetry's API: `@model-gateway/core/opentelemetry`. */
export type { CallEnd, CallSpan, GatewayTracer, TracedCall } from "./hooks/tracer.js";
export type { TraceContext } from "./tasks/trace-context.js";
export { type OpenTelemetryOptions, openTelemetry, withTrace } from "./telemetry/open-telemetry.js";
