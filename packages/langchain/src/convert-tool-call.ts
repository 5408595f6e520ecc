import type { InvalidToolCall, ToolCall } from "@langchain/core/messages/tool";
import { parseToolArguments, type ToolCallReading } from "@model-gateway/core";

/** A call that may run, or one that may not. */
export type ConvertedToolCall = ToolCall | InvalidToolCall;

/**
 * A tool call as LangChain has it. A call whose arguments are not a whole JSON object (cut off by a token limit, say),
 * or that names no tool, is invalid: no agent runs it.
 */
export function convertToolCall({
  id,
  name,
  arguments: written,
}: Pick<ToolCallReading, "id" | "name" | "arguments">): ConvertedToolCall {
  const args = parseToolArguments(written);
  if (args !== undefined && name !== undefined) return { type: "tool_call", id, name, args };
  const error =
    name === undefined ? "The call does not name a tool." : "The arguments are not a complete JSON object.";
  return { type: "invalid_tool_call", id, name, args: written, error };
}

/** The calls of a message, in the two lists in which LangChain keeps them. */
export function convertToolCalls(readings: ReadonlyArray<Parameters<typeof convertToolCall>[0]>): {
  tool_calls: ToolCall[];
  invalid_tool_calls: InvalidToolCall[];
} {
  const converted = readings.map(convertToolCall);
  return {
    tool_calls: converted.filter((call): call is ToolCall => call.type === "tool_call"),
    invalid_tool_calls: converted.filter(
      (call): call is InvalidToolCall => call.type === "invalid_tool_call",
    ),
  };
}
