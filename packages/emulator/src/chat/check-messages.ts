import { checkURL } from "../checks/check-url.js";
import type { Field } from "../checks/field.js";
import { CHAT_ROLES, type ChatMessage, type ToolCall, textOfContent } from "./chat-request.js";

const PART_TYPES = ["text", "image_url"] as const;

/** Checks `messages`: roles, content and parts, and that tool results answer a tool call. */
export function checkMessages(field: Field): ChatMessage[] {
  const openCalls = new Set<string>();
  return (field.nonEmptyItems("a non-empty array of messages") ?? []).map((item) => {
    const message: ChatMessage = { role: "user", text: "", images: [], toolCalls: [] };
    if (!item.object()) return message;
    message.role = item.get("role").oneOf(CHAT_ROLES) ?? "user";
    if (message.role === "assistant") {
      message.toolCalls = item.getNullable("tool_calls").optional(checkToolCalls) ?? [];
      for (const { id } of message.toolCalls) openCalls.add(id);
    }
    if (message.role === "tool") {
      message.toolCallId = item.get("tool_call_id").nonEmptyString();
      if (message.toolCallId !== undefined && !openCalls.has(message.toolCallId)) {
        item.get("tool_call_id").refuse("must be the id of a tool call in an earlier assistant message");
      }
    }
    item.getNullable("name").optional((name) => name.string());
    message.images = checkContent(item, message);
    message.text = textOfContent(item.get("content").value);
    return message;
  });
}

function checkContent(item: Field, message: ChatMessage): string[] {
  const content = item.get("content");
  // An assistant message that only calls tools has no content.
  if (message.toolCalls.length > 0 && (content.value === null || !content.present)) return [];
  if (typeof content.value === "string") return [];
  const images: string[] = [];
  for (const part of content.items("a string or an array of parts") ?? []) {
    if (!part.object()) continue;
    switch (part.get("type").oneOf(PART_TYPES)) {
      case "text":
        part.get("text").string();
        break;
      case "image_url": {
        const image = part.get("image_url");
        const url = image.object() && checkURL(image.get("url"), { data: "image" });
        if (url !== undefined) images.push(url);
        break;
      }
      case undefined:
        break;
    }
  }
  return images;
}

function checkToolCalls(field: Field): ToolCall[] {
  return (field.items() ?? []).map((item) => {
    const call: ToolCall = { id: "", name: "", arguments: "" };
    if (!item.object()) return call;
    call.id = item.get("id").nonEmptyString() ?? "";
    item.get("type").optional((type) => type.oneOf(["function"]));
    const definition = item.get("function");
    if (!definition.object()) return call;
    call.name = definition.get("name").nonEmptyString() ?? "";
    call.arguments = definition.get("arguments").string() ?? "";
    return call;
  });
}
