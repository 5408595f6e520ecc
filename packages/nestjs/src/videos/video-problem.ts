import { GatewayError } from "@model-gateway/core";
import type { VideoTaskProblem } from "./video-task-record.js";

/** What is written down of an error. */
export function videoProblem(error: unknown): VideoTaskProblem {
  if (!GatewayError.isInstance(error)) return { kind: "other", message: String(error) };
  const { kind, message, requestId } = error;
  return requestId === undefined ? { kind, message } : { kind, message, requestId };
}
