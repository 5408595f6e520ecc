import type { GatewayErrorKind } from "../errors/gateway-error.js";

/** Why a stream with a key broke: see `KeyedStreamError`. */
export type StreamBreak = "broken" | "refused" | "stopped" | "abandoned" | "cut" | "full" | "lost";

/** What is told of an error of core to readers in any process. Plain JSON. */
export interface StreamProblem {
  name: string;
  kind: GatewayErrorKind;
  message: string;
  /** HTTP status of the gateway's answer, where there was one. */
  status?: number;
  code?: string;
  requestId?: string;
  retryable: boolean;
  maybeProcessed: boolean;
}

/** How a stream ended: the same for each of its readers. Plain JSON. */
export interface StreamEnd {
  outcome: "complete" | StreamBreak;
  /** Of a call that the gateway, or core, ended with an error. */
  problem?: StreamProblem;
}
