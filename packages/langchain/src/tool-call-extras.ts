import type { AIMessage } from "@langchain/core/messages";
import type { ToolCallReading } from "@model-gateway/core";

/** Key of `additional_kwargs` with the fields of tool calls that LangChain has no place for, by the id of the call. */
const TOOL_CALL_EXTRAS = "tool_call_extras";

type Extras = Record<string, unknown>;

/** Keeps fields of calls such as `extra_content` with a thought signature, which some models want back. */
export function toToolCallExtras(calls: readonly ToolCallReading[]): Record<string, unknown> {
  const kept = calls.filter(({ extra }) => Object.keys(extra).length > 0).map(({ id, extra }) => [id, extra]);
  return kept.length === 0 ? {} : { [TOOL_CALL_EXTRAS]: Object.fromEntries(kept) };
}

/**
 * The fields that came with a call of a message: from `additional_kwargs`, or from the blocks of messages that hold
 * standard blocks only.
 */
export function readToolCallExtras(message: AIMessage, id: string | undefined): Extras | undefined {
  const byId = message.additional_kwargs?.[TOOL_CALL_EXTRAS] as Record<string, Extras> | undefined;
  if (id !== undefined && byId !== undefined && Object.hasOwn(byId, id)) return byId[id];
  if (typeof message.content === "string") return undefined;
  const block = message.content.find((candidate) => isCallBlock(candidate) && candidate["id"] === id);
  return block?.["extras"] as Extras | undefined;
}

function isCallBlock({ type }: { type?: unknown }): boolean {
  return type === "tool_call" || type === "invalid_tool_call";
}
