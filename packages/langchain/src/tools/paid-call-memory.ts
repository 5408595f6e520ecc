import type { CallbackManager } from "@langchain/core/callbacks/manager";
import type { ToolRunnableConfig } from "@langchain/core/tools";
import { GatewayError } from "@model-gateway/core";
import { ModelGatewayToolError } from "./model-gateway-tool-error.js";

/** Calls of agents whose results are kept; results may hold whole files. */
const KEPT_CALLS = 32;

/** Tool calls, by run and id. */
const callsOfRuns = new Map<string, Promise<unknown>>();
/** Longer than retries and fallbacks take, in milliseconds: an object may be a constant of the application. */
const DOUBT_MS = 600_000;

/** Errors after which a call may have been billed, by the arguments of the call themselves. */
const doubts = new WeakMap<object, { error: unknown; until: number }>();

/**
 * Runs a paid call, unless it was made before: retries and fallbacks of LangChain call a tool again with what it was
 * called with, and know nothing of money. Within one run, a tool call that comes again gets the first result,
 * whichever of our tools it comes to. Everywhere, the arguments of a call that may have been billed are refused for ten
 * minutes, by the first error; they are known by the object, so that equal arguments in a new object are a new wish.
 * What was certainly not billed is simply done again.
 */
export function payOnce<Result>(
  input: object,
  config: ToolRunnableConfig,
  work: () => Promise<Result>,
): Promise<Result> {
  const key = keyOf(input, config);
  const earlier = key === undefined ? undefined : callsOfRuns.get(key);
  if (earlier !== undefined) return earlier as Promise<Result>;
  const doubt = doubts.get(input);
  if (doubt !== undefined && Date.now() < doubt.until) return Promise.reject(doubt.error);
  const result = work();
  if (key !== undefined) keep(key, result);
  result.catch((error: unknown) => {
    if (mayHaveBeenBilled(error)) doubts.set(input, { error, until: Date.now() + DOUBT_MS });
    else if (key !== undefined) callsOfRuns.delete(key);
  });
  return result;
}

/**
 * A tool call within its run; undefined where there is no run to tell two calls of one id apart by. Arguments count too:
 * some routes number their calls anew with every answer.
 */
function keyOf(input: object, { toolCall, configurable, callbacks }: ToolRunnableConfig): string | undefined {
  if (toolCall?.id === undefined) return undefined;
  // LangGraph's name for one step of one run, the same when it is tried again.
  const task =
    configurable?.["__pregel_task_id"] ?? (callbacks as CallbackManager | undefined)?.getParentRunId?.();
  return task === undefined ? undefined : JSON.stringify([task, toolCall.id, input]);
}

function keep(key: string, result: Promise<unknown>): void {
  callsOfRuns.set(key, result);
  const [oldest] = callsOfRuns.keys();
  if (callsOfRuns.size > KEPT_CALLS && oldest !== undefined) callsOfRuns.delete(oldest);
}

function mayHaveBeenBilled(error: unknown): boolean {
  if (error instanceof ModelGatewayToolError) return error.maybeBilled;
  return GatewayError.isInstance(error) && (error.maybeProcessed || error.handle !== undefined);
}
