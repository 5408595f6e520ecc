import type { InvalidToolCall, ToolCall } from "@langchain/core/messages/tool";

/** A tool call as it came over the wire. */
export interface RawToolCall {
  id?: string;
  name?: string;
  /** JSON text; empty for a call without arguments. */
  args?: string;
}

/**
 * Reads a tool call strictly: arguments that are not a whole JSON object (cut off by a token limit, say) make an
 * invalid call. They are never mended: a tool that ran with half of its arguments could do harm.
 */
export function readToolCall({ id, name, args = "" }: RawToolCall): ToolCall | InvalidToolCall {
  try {
    const parsed: unknown = args.trim() === "" ? {} : JSON.parse(args);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) && name) {
      return { type: "tool_call", id, name, args: parsed as Record<string, unknown> };
    }
  } catch {
    // Reported below.
  }
  const error = name ? "The arguments are not a complete JSON object." : "The call does not name a tool.";
  return { type: "invalid_tool_call", id, name, args, error };
}

export interface ReadToolCalls {
  tool_calls: ToolCall[];
  invalid_tool_calls: InvalidToolCall[];
}

export function readToolCalls(rawCalls: readonly RawToolCall[]): ReadToolCalls {
  const calls: ReadToolCalls = { tool_calls: [], invalid_tool_calls: [] };
  for (const raw of rawCalls) {
    const call = readToolCall(raw);
    if (call.type === "invalid_tool_call") calls.invalid_tool_calls.push(call);
    else calls.tool_calls.push(call as ToolCall);
  }
  return calls;
}
