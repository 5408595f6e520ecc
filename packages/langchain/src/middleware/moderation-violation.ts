import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  RemoveMessage,
  ToolMessage,
} from "@langchain/core/messages";
import type { ModerationVerdict } from "@model-gateway/core";

/** What is judged: a user's message, the model's, or a tool's. */
export type ModerationStage = "input" | "output" | "tool";

/** A message that must not pass. */
export interface ModerationViolation {
  stage: ModerationStage;
  message: BaseMessage;
  verdict: ModerationVerdict;
}

const SOURCES: Record<ModerationStage, string> = {
  input: "The message",
  output: "The answer",
  tool: "The result of a tool",
};

/** The words that stand in for a message, unless the application has its own. */
export function describeViolation({ stage, verdict }: ModerationViolation): string {
  const found = Object.entries(verdict.categories).flatMap(([category, is]) =>
    is ? [category.replaceAll("_", " ")] : [],
  );
  return `${SOURCES[stage]} was stopped by moderation${found.length > 0 ? ` (${found.join(", ")})` : ""}.`;
}

/**
 * The message that takes the place of a stopped one: its id, so that it overwrites it, and nothing that it carried.
 * An answer loses its tool calls and its reasoning, a tool's result its artifact.
 */
export function replaceMessage(
  { stage, message, verdict }: ModerationViolation,
  content: string,
): BaseMessage {
  const { id, name } = message;
  const { action, categories } = verdict;
  const fields = { id, name, content, response_metadata: { moderation: { stage, action, categories } } };
  if (AIMessage.isInstance(message))
    return new AIMessage({ ...fields, usage_metadata: message.usage_metadata });
  if (ToolMessage.isInstance(message)) {
    return new ToolMessage({ ...fields, status: "error", tool_call_id: message.tool_call_id });
  }
  return new HumanMessage(fields);
}

/** Takes away the results of tool calls that are no more: without their calls, no model accepts them. */
export function removeResults(answers: readonly BaseMessage[]): RemoveMessage[] {
  return answers.flatMap(({ id }) => (id === undefined ? [] : [new RemoveMessage({ id })]));
}
