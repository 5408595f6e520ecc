import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ChatMessage, ContentPart } from "@model-gateway/core";
import { convertAssistantMessage } from "./convert-assistant-message.js";
import { convertFilePart } from "./convert-file-part.js";
import { convertToolResults } from "./convert-tool-results.js";
import { filePartOrNote } from "./file-part-or-note.js";
import type { MessageConversion } from "./message-conversion.js";
import { wireFields, withWireFields } from "./wire-fields.js";

/** The SDK's prompt as messages of the chat endpoint (API description, ChatMessage). */
export function convertMessages(prompt: LanguageModelV4Prompt, conversion: MessageConversion): ChatMessage[] {
  const lastQuestion = prompt.findLastIndex(({ role }) => role === "user");
  return prompt.flatMap((message, index) => convertMessage(message, index, lastQuestion, conversion));
}

function convertMessage(
  message: LanguageModelV4Message,
  index: number,
  lastQuestion: number,
  conversion: MessageConversion,
): ChatMessage[] {
  const fields = wireFields(message.providerOptions);
  switch (message.role) {
    case "system":
      return [withWireFields({ role: "system", content: message.content }, fields)];
    case "user": {
      // What is asked now must be answered whole; what was asked before is history.
      const parts = message.content.map((part): ContentPart => {
        if (part.type === "text")
          return { type: "text", text: part.text, ...wireFields(part.providerOptions) };
        return index === lastQuestion
          ? convertFilePart(part, conversion.fileParts)
          : filePartOrNote(part, conversion);
      });
      return [withWireFields({ role: "user", content: flatten(parts) }, fields)];
    }
    case "assistant": {
      // Reasoning belongs to the turn that is being answered: what came before the last question is finished.
      const sendReasoning = conversion.sendReasoning && index > lastQuestion;
      const converted = convertAssistantMessage(message.content, { ...conversion, sendReasoning });
      return [withWireFields(converted, fields)];
    }
    case "tool":
      return convertToolResults(
        message.content.filter((part) => part.type === "tool-result"),
        conversion,
      );
  }
}

/** A single text stays a string: every model understands that. */
function flatten(parts: ContentPart[]): string | ContentPart[] {
  const [first] = parts;
  if (first === undefined) return "";
  const isPlain = parts.length === 1 && first.type === "text" && Object.keys(first).length === 2;
  return isPlain ? (first.text as string) : parts;
}
