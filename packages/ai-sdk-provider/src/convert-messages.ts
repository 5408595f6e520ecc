import {
  type LanguageModelV4FilePart,
  type LanguageModelV4Message,
  type LanguageModelV4Prompt,
  type LanguageModelV4ToolResultPart,
  type SharedV4Warning,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import { convertToBase64, getTopLevelMediaType, resolveFullMediaType } from "@ai-sdk/provider-utils";
import type { AssistantMessage, ChatMessage, ContentPart, ToolCall } from "@model-gateway/core";

/** How a prompt is put on the wire. */
export interface MessageConversion {
  /** Send the reasoning of the tool loop that is under way back to the model. */
  sendReasoning: boolean;
  warnings: SharedV4Warning[];
}

/** The SDK's prompt as messages of the chat endpoint (API description, ChatMessage). */
export function convertMessages(prompt: LanguageModelV4Prompt, conversion: MessageConversion): ChatMessage[] {
  // Reasoning belongs to the turn that is being answered: what came before the last question is finished.
  const lastQuestion = prompt.findLastIndex(({ role }) => role === "user");
  return prompt.flatMap((message, index) => convertMessage(message, index > lastQuestion, conversion));
}

function convertMessage(
  message: LanguageModelV4Message,
  inCurrentTurn: boolean,
  conversion: MessageConversion,
): ChatMessage[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content }];
    case "user":
      return [{ role: "user", content: flatten(message.content.map(convertUserPart)) }];
    case "assistant":
      return [convertAssistant(message.content, inCurrentTurn, conversion)];
    case "tool":
      return convertToolResults(message.content.filter((part) => part.type === "tool-result"));
  }
}

function convertUserPart(part: { type: "text"; text: string } | LanguageModelV4FilePart): ContentPart {
  return part.type === "text" ? { type: "text", text: part.text } : convertFile(part);
}

/** A single text stays a string: every model understands that. */
function flatten(parts: ContentPart[]): string | ContentPart[] {
  const [first] = parts;
  if (first === undefined) return "";
  return parts.length === 1 && first.type === "text" ? first.text : parts;
}

/** The API has text and image parts only. */
function convertFile(part: LanguageModelV4FilePart): ContentPart {
  const { data, mediaType } = part;
  if (data.type === "text") return { type: "text", text: data.text };
  if (getTopLevelMediaType(mediaType) !== "image" || data.type === "reference") {
    throw new UnsupportedFunctionalityError({
      functionality: data.type === "reference" ? "file references" : `file parts of type ${mediaType}`,
    });
  }
  const url =
    data.type === "url"
      ? (data.originalUrl ?? data.url.href)
      : `data:${resolveFullMediaType({ part })};base64,${convertToBase64(data.data)}`;
  return { type: "image_url", image_url: { url } };
}

type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

function convertAssistant(
  content: AssistantContent,
  inCurrentTurn: boolean,
  { sendReasoning, warnings }: MessageConversion,
): AssistantMessage {
  let text = "";
  let reasoning = "";
  const toolCalls: ToolCall[] = [];
  for (const part of content) {
    switch (part.type) {
      case "text":
        text += part.text;
        break;
      case "reasoning":
        reasoning += part.text;
        break;
      case "tool-call":
        toolCalls.push({
          id: part.toolCallId,
          type: "function",
          function: { name: part.toolName, arguments: JSON.stringify(part.input ?? {}) },
        });
        break;
      default:
        warnings.push({ type: "other", message: `A ${part.type} part of an assistant message is not sent.` });
    }
  }
  return {
    role: "assistant",
    content: text === "" && toolCalls.length > 0 ? null : text,
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
    ...(sendReasoning && inCurrentTurn && reasoning !== "" ? { reasoning_content: reasoning } : {}),
  };
}

/** One message per result. Images a tool made follow in a user turn: tool messages carry text only. */
function convertToolResults(results: readonly LanguageModelV4ToolResultPart[]): ChatMessage[] {
  const images: ContentPart[] = [];
  const messages = results.map((result): ChatMessage => {
    return { role: "tool", tool_call_id: result.toolCallId, content: convertOutput(result, images) };
  });
  return images.length === 0 ? messages : [...messages, { role: "user", content: images }];
}

function convertOutput({ output, toolName }: LanguageModelV4ToolResultPart, images: ContentPart[]): string {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "json":
    case "error-json":
      return JSON.stringify(output.value);
    case "execution-denied":
      return output.reason ?? "The user did not allow this tool call.";
    case "content": {
      const texts: string[] = [];
      for (const part of output.value) {
        if (part.type === "text") texts.push(part.text);
        else if (part.type === "file") images.push(convertFile(part));
      }
      const note = images.length > 0 ? [`The images of ${toolName} follow in the next message.`] : [];
      return [...texts, ...note].join("\n");
    }
  }
}
