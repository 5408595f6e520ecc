import type { ToolExecutionOptions } from "@ai-sdk/provider-utils";
import { isUnpaid } from "./is-unpaid.js";

/** How many calls are remembered when nothing else is said. */
const DEFAULT_KEEP = 1_000;

/**
 * Runs a tool that pays once per tool call. The SDK runs a tool again when the same messages come again: an approved call
 * that a page sends twice, a step that is retried. Then the first result is given again; so is the first error, unless it
 * says that nothing was paid. A call that the model makes anew has a new id, and runs.
 *
 * Results are kept in memory, in the function that is returned: make it once, outside of the request handler.
 *
 * @param execute the tool; it returns a promise and is no generator
 * @param options.keep how many calls are remembered, the latest ones; default 1000
 * @example
 * const draw = tool({ inputSchema, execute: oncePerToolCall(({ prompt }) => generateImage({ model, prompt })) });
 */
export function oncePerToolCall<Input, Output, Context>(
  execute: (input: Input, options: ToolExecutionOptions<Context>) => PromiseLike<Output>,
  { keep = DEFAULT_KEEP }: { keep?: number } = {},
): (input: Input, options: ToolExecutionOptions<Context>) => Promise<Output> {
  const runs = new Map<string, Promise<Output>>();
  return (input, options) => {
    const { toolCallId } = options;
    const known = runs.get(toolCallId);
    if (known !== undefined) return known;
    const run = (async () => execute(input, options))();
    runs.set(toolCallId, run);
    run.catch((error: unknown) => {
      if (isUnpaid(error)) runs.delete(toolCallId);
    });
    const [oldest] = runs.keys();
    if (runs.size > keep && oldest !== undefined) runs.delete(oldest);
    return run;
  };
}
