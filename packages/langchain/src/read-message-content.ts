import type { BaseMessage } from "@langchain/core/messages";
import type { ContentPart, RequestProblem, TextPart } from "@model-gateway/core";
import { type BlockConversion, convertContentBlock } from "./convert-content-parts.js";

/** Content of a message, sorted by what the gateway has places for. */
export interface ReadContent {
  parts: ContentPart[];
  reasoning: string;
  /** `reasoning_details` of an answer that holds standard blocks. */
  reasoningDetails: unknown;
}

/**
 * Reads the content of a message.
 *
 * @param field the message's place in the request, for problems
 * @param problems gets what the gateway has no place for; an answer may hold blocks of another provider, which are no
 *   reason to refuse the history
 */
export function readMessageContent(
  { content }: BaseMessage,
  conversion: BlockConversion,
  field: string,
  problems: RequestProblem[],
): ReadContent {
  const read: ReadContent = { parts: [], reasoning: "", reasoningDetails: undefined };
  if (typeof content === "string") {
    read.parts.push({ type: "text", text: content });
    return read;
  }
  content.forEach((block: unknown, position: number) => {
    const converted = convertContentBlock(block, conversion);
    if (converted.kind === "part") read.parts.push(converted.part);
    else if (converted.kind === "reasoning") {
      read.reasoning += converted.reasoning;
      read.reasoningDetails ??= converted.details;
    } else if (converted.kind === "unsupported" && conversion.ownBlocks)
      problems.push({ field: `${field}.content[${position}]`, message: converted.reason });
  });
  return read;
}

/**
 * Text alone is sent as one string, the form that every route takes, unless a part says more than its text
 * (`cache_control`, say).
 */
export function flattenParts<Part extends ContentPart>(parts: readonly Part[]): string | Part[] {
  return parts.every((part) => isPlainText(part)) ? joinText(parts) : [...parts];
}

/** The texts of parts, joined as LangChain's `message.text` joins them. */
export function joinText(parts: readonly ContentPart[]): string {
  return parts.map((part) => (isText(part) ? part.text : "")).join("");
}

export function isText(part: ContentPart): part is TextPart {
  return part.type === "text";
}

function isPlainText(part: ContentPart): boolean {
  return isText(part) && Object.keys(part).length === 2;
}
