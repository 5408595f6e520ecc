import { AIMessage, type BaseMessage } from "@langchain/core/messages";

/** Everything of a message that can be judged: its text, and what the model wants to tell its tools. */
export function moderatedText(message: BaseMessage): string {
  const { content } = message;
  const texts =
    typeof content === "string"
      ? [content]
      : content.flatMap((block) => (typeof block["text"] === "string" ? [block["text"]] : []));
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  return [...texts, ...calls.flatMap(({ args }) => stringsIn(args))]
    .filter((text) => text.trim() !== "")
    .join("\n");
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
