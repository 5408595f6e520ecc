/** What needs OpenTelemetry's API: `@model-gateway/core/opentelemetry`. */
export type { CallEnd, CallSpan, GatewayTracer, TraceContext, TracedCall } from "./hooks/tracer.js";
export { type OpenTelemetryOptions, openTelemetry, withTrace } from "./telemetry/open-telemetry.js";
