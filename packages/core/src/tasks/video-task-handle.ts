import type { Cost } from "../costs/cost.js";
import type { AddressKind } from "../transport/address-kind.js";
import type { TraceContext } from "./trace-context.js";

/** The three ways to create a task; a task is read where it was created. */
export type VideoFamily = "content" | "image2video" | "omni-video";

/** Names a task. Plain JSON: store it, and resume the task in any process. */
export interface VideoTaskHandle {
  v: 1;
  family: VideoFamily;
  id: string;
  /** Base address the task was created on. */
  address?: AddressKind;
  /** When the task was created, in milliseconds since the epoch. */
  createdAt?: number;
  /** The call that created the task, where calls are traced: its polls belong there, in whatever process. */
  trace?: TraceContext;
  /** The model that was asked, where the client has prices: they are by model. */
  model?: string;
  /** What it costs when it succeeds, by what was asked for, where the client has prices. */
  cost?: Cost;
  /** What is reserved for it in a budget, where the client has one, until it is known what the task cost. */
  reservation?: string;
}
