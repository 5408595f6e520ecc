import type { LanguageModelV4Message, LanguageModelV4ReasoningPart } from "@ai-sdk/provider";
import type { AssistantMessage, ThinkingPart, ToolCall } from "@model-gateway/core";
import { toToolCall } from "@model-gateway/core/chat";
import { filePartOrNote } from "./file-part-or-note.js";
import type { MessageConversion } from "./message-conversion.js";
import { wireFields } from "./wire-fields.js";

type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];
type ContentParts = Exclude<AssistantMessage["content"], string | null | undefined>;

/** A message of the model's own, with the pictures it made and what it wants back with its tool calls. */
export function convertAssistantMessage(
  content: AssistantContent,
  conversion: MessageConversion,
): AssistantMessage {
  const parts: ContentParts = [];
  const toolCalls: ToolCall[] = [];
  const reasoning = new SentReasoning();
  for (const part of content) {
    const fields = wireFields(part.providerOptions);
    switch (part.type) {
      case "text":
        parts.push({ type: "text", text: part.text, ...fields });
        break;
      case "file":
        parts.push(filePartOrNote(part, conversion));
        break;
      case "reasoning":
        if (conversion.sendReasoning) reasoning.add(part);
        break;
      case "tool-call": {
        const { reasoning_details: details, ...extra } = fields;
        if (Array.isArray(details) && conversion.sendReasoning) reasoning.details.push(...details);
        toolCalls.push(
          toToolCall({
            index: toolCalls.length,
            id: part.toolCallId,
            name: part.toolName,
            arguments: JSON.stringify(part.input ?? {}),
            extra,
          }),
        );
        break;
      }
      default:
        conversion.warnings.push({
          type: "other",
          message: `A ${part.type} part of an assistant message is not sent.`,
        });
    }
  }
  const text = flatten([...reasoning.parts, ...parts], reasoning.tagged);
  return {
    role: "assistant",
    content: text === "" && toolCalls.length > 0 ? null : text,
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
    ...(reasoning.text !== "" ? { reasoning_content: reasoning.text } : {}),
    ...(reasoning.details.length > 0 ? { reasoning_details: reasoning.details } : {}),
  };
}

/** Reasoning in the form in which the model sent it: a field, parts of the content, or a tag before the text. */
class SentReasoning {
  text = "";
  tagged = "";
  readonly parts: ThinkingPart[] = [];
  readonly details: unknown[] = [];

  add({ text, providerOptions }: LanguageModelV4ReasoningPart): void {
    const { thinkTags, thinking, redacted, ...fields } = wireFields(providerOptions);
    if (thinkTags === true) this.tagged += `<think>${text}</think>\n`;
    else if (redacted !== undefined) this.parts.push(redacted as ThinkingPart);
    else if (thinking === "text") this.parts.push({ type: "thinking", thinking: text, ...fields });
    else if (thinking === "parts") {
      this.parts.push({ type: "thinking", thinking: [{ type: "text", text }], ...fields });
    } else this.text += text;
  }
}

/** Plain text stays a string: every model understands that. */
function flatten(parts: ContentParts, prefix: string): string | ContentParts {
  const plain = parts.every((part) => part.type === "text" && Object.keys(part).length === 2);
  if (plain) return prefix + parts.map((part) => String((part as { text: unknown }).text)).join("");
  return prefix === "" ? parts : [{ type: "text", text: prefix }, ...parts];
}
