/** A place in a trace, as W3C Trace Context writes it. Plain JSON: it travels in the handle of a video task. */
export interface TraceContext {
  traceparent: string;
  tracestate?: string;
}
