import type { ChatCompletionChunk, ToolCallDelta, Usage } from "@model-gateway/core";
import {
  type AnswerFacts,
  asArray,
  createToolCallId,
  readPartText,
  toArgumentText,
} from "./convert-completion.js";
import { type OutputImagePart, readOutputImage } from "./output-images.js";
import type { RawToolCall } from "./read-tool-call.js";

/** A fragment of a tool call with the gaps that routes leave filled in. */
export interface ToolCallFragment {
  index: number;
  /** Given once per call, in the first fragment that knows it. */
  id: string | undefined;
  /** Given once per call, in the first fragment that knows it. */
  name: string | undefined;
  args: string;
}

/** What one event of a stream adds to the answer. */
export interface Delta {
  text: string;
  reasoning: string;
  toolCalls: ToolCallFragment[];
}

const NO_FRAGMENTS: ToolCallFragment[] = [];

/**
 * Reads the events of a streamed answer: evens out how routes number, name and identify tool calls, and keeps
 * what is told once, at the end (usage, finish reason, images).
 */
export class StreamDeltaReader {
  /** Calls so far, by index. */
  readonly toolCalls: RawToolCall[] = [];
  readonly images: OutputImagePart[] = [];
  /** The last usage seen: routes send it once, or a running total in every event. */
  usage: Usage | undefined;
  private id: string | undefined;
  private model: string | undefined;
  private finishReason: string | undefined;
  private started = false;
  /** Index on the wire to index of ours, where they differ. */
  private readonly wireIndexes = new Map<number, number>();

  constructor(private readonly requestedModel: string) {}

  /** One id for the whole message: the first event's, or none when that has none. */
  get messageId(): string | undefined {
    return this.id;
  }

  get facts(): AnswerFacts {
    return { id: this.id, model: this.model ?? this.requestedModel, finishReason: this.finishReason };
  }

  /** @returns undefined when the event adds nothing to show */
  read(event: ChatCompletionChunk): Delta | undefined {
    if (!this.started) {
      this.started = true;
      this.id = event.id || undefined;
    }
    if (event.model) this.model ??= event.model;
    if (event.usage) this.usage = event.usage;
    const choice = event.choices?.find(({ index }) => !index);
    if (choice === undefined) return undefined;
    if (choice.finish_reason) this.finishReason = choice.finish_reason;
    const { delta } = choice;
    if (!delta) return undefined;
    const content: unknown = delta.content;
    const text = typeof content === "string" ? content : this.readParts(content);
    this.readParts(delta["images"]);
    const reasoning = delta.reasoning_content ?? delta.reasoning;
    const toolCalls = delta.tool_calls?.length
      ? delta.tool_calls.map((fragment) => this.readFragment(fragment))
      : NO_FRAGMENTS;
    const hasReasoning = typeof reasoning === "string" && reasoning !== "";
    if (text === "" && !hasReasoning && toolCalls.length === 0) return undefined;
    return { text, reasoning: hasReasoning ? reasoning : "", toolCalls };
  }

  /** Ids for the calls that never got one. */
  missingIds(): ToolCallFragment[] {
    const missing: ToolCallFragment[] = [];
    this.toolCalls.forEach((call, index) => {
      if (call.id !== undefined) return;
      call.id = createToolCallId();
      missing.push({ index, id: call.id, name: undefined, args: "" });
    });
    return missing;
  }

  /** Keeps the images of content parts; returns their text. */
  private readParts(parts: unknown): string {
    let text = "";
    for (const part of asArray(parts)) {
      const image = readOutputImage(part);
      if (image === undefined) text += readPartText(part);
      else this.images.push(image);
    }
    return text;
  }

  private readFragment(fragment: ToolCallDelta): ToolCallFragment {
    const index = this.locate(fragment);
    const args = toArgumentText(fragment.function?.arguments);
    let call = this.toolCalls[index];
    if (call === undefined) {
      call = { args: "" };
      this.toolCalls[index] = call;
    }
    call.args += args;
    const id = call.id === undefined && fragment.id ? fragment.id : undefined;
    const name = call.name === undefined && fragment.function?.name ? fragment.function.name : undefined;
    if (id !== undefined) call.id = id;
    if (name !== undefined) call.name = name;
    return { index, id, name, args };
  }

  /**
   * The call a fragment belongs to. The format numbers calls; routes also leave the number out, or give every
   * call the number 0, and then only a new id or a new name tells that another call begins.
   */
  private locate({ index, id, function: called }: ToolCallDelta): number {
    const next = this.toolCalls.length;
    const wireIndex = readIndex(index);
    if (wireIndex !== undefined) {
      const known = this.wireIndexes.get(wireIndex);
      const call = known === undefined ? undefined : this.toolCalls[known];
      // Some routes send a new id with every fragment, so an id alone does not begin a call here.
      const another = call?.name !== undefined && called?.name && call.id && id && call.id !== id;
      if (known !== undefined && !another) return known;
      this.wireIndexes.set(wireIndex, next);
      return next;
    }
    const last = this.toolCalls[next - 1];
    if (last === undefined) return next;
    const known = id ? this.toolCalls.findIndex((call) => call.id === id) : -1;
    if (known !== -1) return known;
    if (id && last.id !== undefined) return next;
    const another = last.name !== undefined && called?.name && isWholeJSON(last.args);
    return another ? next : next - 1;
  }
}

function readIndex(index: unknown): number | undefined {
  if (typeof index === "number") return index;
  return typeof index === "string" && /^\d+$/.test(index) ? Number(index) : undefined;
}

function isWholeJSON(text = ""): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
