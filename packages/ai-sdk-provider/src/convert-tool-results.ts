import type { LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import type { ChatMessage, ContentPart, ToolMessage } from "@model-gateway/core";
import { filePartOrNote } from "./file-part-or-note.js";
import type { MessageConversion } from "./message-conversion.js";
import { wireFields, withWireFields } from "./wire-fields.js";

/** One message per result. Files that a tool made follow in a user turn: tool messages carry text only. */
export function convertToolResults(
  results: readonly LanguageModelV4ToolResultPart[],
  conversion: MessageConversion,
): ChatMessage[] {
  const converted = results.map((result) => convertToolResult(result, conversion));
  const withFiles = converted.filter(({ files }) => files.length > 0);
  const shown = withFiles.flatMap(({ files, toolName }): ContentPart[] => {
    // With files of one result alone there is no doubt whose they are.
    const title: ContentPart[] = withFiles.length > 1 ? [{ type: "text", text: `From ${toolName}:` }] : [];
    return [...title, ...files];
  });
  const messages: ChatMessage[] = converted.map(({ message }) => message);
  return shown.length === 0 ? messages : [...messages, { role: "user", content: shown }];
}

function convertToolResult(
  result: LanguageModelV4ToolResultPart,
  conversion: MessageConversion,
): { message: ToolMessage; files: ContentPart[]; toolName: string } {
  const { toolCallId, toolName, output } = result;
  const files: ContentPart[] = [];
  const text = textOf(result, files, conversion);
  const ofOutput = "providerOptions" in output ? wireFields(output.providerOptions) : {};
  const fields = { ...wireFields(result.providerOptions), ...ofOutput };
  const message: ToolMessage = { role: "tool", tool_call_id: toolCallId, content: text };
  return { message: withWireFields(message, fields), files, toolName };
}

function textOf(
  { output, toolName }: LanguageModelV4ToolResultPart,
  files: ContentPart[],
  conversion: MessageConversion,
): string {
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
        else if (part.type === "file") {
          const converted = filePartOrNote(part, conversion);
          if (converted.type === "text") texts.push(converted.text);
          else files.push(converted);
        }
      }
      if (files.length > 0) texts.push(`The files of ${toolName} follow in the next message.`);
      return texts.join("\n");
    }
  }
}
