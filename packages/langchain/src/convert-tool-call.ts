import type { InvalidToolCall, ToolCall } from "@langchain/core/messages/tool";
import { parseToolArguments, type ToolCallReading } from "@model-gateway/core";

type Reading = Pick<ToolCallReading, "id" | "name" | "arguments">;

/** The calls of a message, in the two lists in which LangChain keeps them. */
export interface ConvertedToolCalls {
  tool_calls: ToolCall[];
  invalid_tool_calls: InvalidToolCall[];
}

/** Answers that end so may lack their end. */
const CUT_OFF: readonly unknown[] = ["length", "content_filter"];

/**
 * Tool calls as LangChain has them. A call whose arguments are not a whole JSON object (cut off by a token limit, say),
 * or that names no tool, is invalid: no agent runs it. Nothing for arguments means none, but at the end of an answer
 * that was cut off, where it means that they were still to come.
 */
export function convertToolCalls(readings: readonly Reading[], finishReason: unknown): ConvertedToolCalls {
  const converted: ConvertedToolCalls = { tool_calls: [], invalid_tool_calls: [] };
  readings.forEach((reading, index) => {
    const isLast = index === readings.length - 1;
    const isCut = isLast && CUT_OFF.includes(finishReason) && reading.arguments.trim() === "";
    const call = convertToolCall(reading, isCut);
    if (call.type === "invalid_tool_call") converted.invalid_tool_calls.push(call);
    else converted.tool_calls.push(call as ToolCall);
  });
  return converted;
}

function convertToolCall(
  { id, name, arguments: written }: Reading,
  isCut: boolean,
): ToolCall | InvalidToolCall {
  const args = isCut ? undefined : parseToolArguments(written);
  if (args !== undefined && name !== undefined) return { type: "tool_call", id, name, args };
  const error =
    name === undefined ? "The call does not name a tool." : "The arguments are not a complete JSON object.";
  return { type: "invalid_tool_call", id, name, args: written, error };
}
