import { ModelRefusalError } from "@langchain/core/errors";
import { type AIMessage, type BaseMessage, type ContentBlock, isAIMessage } from "@langchain/core/messages";
import { BaseLLMOutputParser, OutputParserException } from "@langchain/core/output_parsers";
import type { ChatGeneration, Generation } from "@langchain/core/outputs";
import type { SchemaCheck } from "./schema-check.js";

/** How an answer holds its object: as the arguments of a call of this tool, or as its text. */
export type AnswerForm = { toolName: string } | { text: "exact" | "surrounded" };

/** An object with the message it was read from; null where it could not be read. */
export interface RawAndParsed<T> {
  raw: BaseMessage;
  parsed: T | null;
}

/**
 * Reads the object of a structured answer, strictly: a call that was cut off, another tool, a text in place of the
 * call, an object that does not fit the schema are all failures, never an object that merely looks right. A stream is
 * read when it is over, and yields that one object.
 */
export class StructuredAnswerParser<T> extends BaseLLMOutputParser<T | RawAndParsed<T>> {
  override lc_namespace = ["langchain", "output_parsers", "model-gateway"];

  constructor(
    private readonly form: AnswerForm,
    private readonly check: SchemaCheck<T>,
    private readonly includeRaw: boolean,
  ) {
    super();
  }

  override async parseResult(generations: Generation[] | ChatGeneration[]): Promise<T | RawAndParsed<T>> {
    const { message } = generations[0] as ChatGeneration;
    if (!this.includeRaw) return this.read(message);
    const parsed = await this.read(message).catch((error: unknown) => {
      if (error instanceof OutputParserException || ModelRefusalError.isInstance(error)) return null;
      throw error;
    });
    return { raw: message, parsed };
  }

  private async read(message: BaseMessage): Promise<T> {
    const refusal = message.contentBlocks.find(isRefusal);
    if (refusal !== undefined) throw ModelRefusalError.fromRefusal(refusal, message);
    const value =
      "toolName" in this.form ? readCall(message, this.form.toolName) : readText(message, this.form);
    const checked = await this.check(value);
    if ("value" in checked) return checked.value;
    throw failure(message, `does not fit the schema: ${checked.problem}`, JSON.stringify(value));
  }
}

function readCall(message: BaseMessage, toolName: string): Record<string, unknown> {
  const { tool_calls: calls = [], invalid_tool_calls: invalid = [] } = (
    isAIMessage(message as AIMessage) ? message : {}
  ) as Partial<AIMessage>;
  const call = calls.find(({ name }) => name === toolName);
  if (call !== undefined) return call.args;
  const broken = invalid.find(({ name }) => name === toolName);
  if (broken !== undefined)
    throw failure(message, `calls ${toolName} with arguments that are no whole JSON object`, broken.args);
  const others = calls.map(({ name }) => name).join(", ");
  throw failure(message, `does not call ${toolName}${others ? ` but ${others}` : ""}`, message.text);
}

function readText(message: BaseMessage, { text: form }: { text: "exact" | "surrounded" }): unknown {
  const { text } = message;
  const read =
    parseJSON(withoutFence(text)) ?? (form === "surrounded" ? parseJSON(cutOutObject(text)) : undefined);
  if (read !== undefined) return read.value;
  throw failure(message, "is no whole JSON value", text);
}

function withoutFence(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith("```") || !trimmed.endsWith("```") || trimmed.length < 6) return text;
  return trimmed.slice(3, -3).replace(/^json\b/i, "");
}

/** Models that are only asked for JSON like to wrap it in prose, a code fence or their thoughts. */
function cutOutObject(answer: string): string {
  const thoughtsEnd = answer.trimStart().startsWith("<think>") ? answer.indexOf("</think>") : -1;
  const text = thoughtsEnd === -1 ? answer : answer.slice(thoughtsEnd);
  return text.slice(Math.max(text.indexOf("{"), 0), text.lastIndexOf("}") + 1);
}

function parseJSON(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function failure(message: BaseMessage, what: string, output: string | undefined): OutputParserException {
  const { finish_reason: reason } = message.response_metadata as Record<string, unknown>;
  const cut = reason === "length" ? " The token limit cut the answer off: raise maxTokens." : "";
  return new OutputParserException(
    `The answer ${what}.${cut} It was paid for; includeRaw: true gives the message.`,
    output ?? "",
  );
}

function isRefusal(block: ContentBlock): block is ContentBlock.Refusal {
  return block.type === "refusal";
}
