import type { ChatModelStreamEvent, FinishReason } from "@langchain/core/language_models/event";
import type { ContentBlock } from "@langchain/core/messages";
import type { ChatCompletionChunk } from "@model-gateway/core";
import { toResponseMetadata } from "./convert-completion.js";
import { convertUsage } from "./convert-usage.js";
import { splitImages, toImageBlock } from "./output-images.js";
import { readToolCall } from "./read-tool-call.js";
import { StreamDeltaReader, type ToolCallFragment } from "./stream-delta-reader.js";

type OpenBlock =
  | { type: "text"; text: string }
  | { type: "reasoning"; reasoning: string }
  | { type: "tool"; call: number };

/** Makes LangChain's content-block events (`model.streamEvents(input)`) out of the events of a stream. */
export class StreamEventBuilder {
  private readonly reader: StreamDeltaReader;
  private readonly blocks: OpenBlock[] = [];
  private started = false;

  constructor(requestedModel: string) {
    this.reader = new StreamDeltaReader(requestedModel);
  }

  read(event: ChatCompletionChunk): ChatModelStreamEvent[] {
    const delta = this.reader.read(event);
    const events: ChatModelStreamEvent[] = [];
    this.start(events);
    if (delta === undefined) return events;
    if (delta.reasoning !== "") this.addReasoning(delta.reasoning, events);
    if (delta.text !== "") this.addText(delta.text, events);
    for (const fragment of delta.toolCalls) this.addToolCall(fragment, events);
    return events;
  }

  finish(): ChatModelStreamEvent[] {
    const events: ChatModelStreamEvent[] = [];
    this.start(events);
    this.reader.missingIds();
    // Images in the text become blocks of their own; those after the first go behind the blocks that are open.
    const appended: ContentBlock[] = [];
    this.blocks.forEach((block, index) => {
      const [content, ...others] = this.finishedBlocks(block);
      if (content !== undefined) events.push({ event: "content-block-finish", index, content });
      appended.push(...others);
    });
    appended.push(...this.reader.images.map(({ image_url: { url } }) => toImageBlock(url)));
    appended.forEach((content, position) => {
      const index = this.blocks.length + position;
      events.push({ event: "content-block-start", index, content });
      events.push({ event: "content-block-finish", index, content });
    });
    const usage = convertUsage(this.reader.usage);
    if (usage !== undefined) events.push({ event: "usage", usage });
    const { facts } = this.reader;
    events.push({
      event: "message-finish",
      // Only words that both sides share: LangChain writes `reason` over the metadata, and a message must not
      // say "tool_use" here and "tool_calls" when it was read another way.
      ...(isSharedReason(facts.finishReason) ? { reason: facts.finishReason } : {}),
      ...(usage === undefined ? {} : { usage }),
      responseMetadata: toResponseMetadata(facts),
    });
    return events;
  }

  private start(events: ChatModelStreamEvent[]): void {
    if (this.started) return;
    this.started = true;
    events.push({ event: "message-start", id: this.reader.messageId });
  }

  private addReasoning(reasoning: string, events: ChatModelStreamEvent[]): void {
    let index = this.blocks.findIndex(({ type }) => type === "reasoning");
    if (index === -1) {
      index = this.open({ type: "reasoning", reasoning: "" }, { type: "reasoning", reasoning: "" }, events);
    }
    const block = this.blocks[index];
    if (block?.type === "reasoning") block.reasoning += reasoning;
    events.push({ event: "content-block-delta", index, delta: { type: "reasoning-delta", reasoning } });
  }

  private addText(text: string, events: ChatModelStreamEvent[]): void {
    let index = this.blocks.findIndex(({ type }) => type === "text");
    if (index === -1) index = this.open({ type: "text", text: "" }, { type: "text", text: "" }, events);
    const block = this.blocks[index];
    if (block?.type === "text") block.text += text;
    events.push({ event: "content-block-delta", index, delta: { type: "text-delta", text } });
  }

  private addToolCall(fragment: ToolCallFragment, events: ChatModelStreamEvent[]): void {
    const call = fragment.index;
    let index = this.blocks.findIndex((block) => block.type === "tool" && block.call === call);
    const { id, name, args } = this.reader.toolCalls[call] ?? {};
    if (index === -1) {
      const content = { type: "tool_call_chunk" as const, id, name, args: "", index: call };
      index = this.open({ type: "tool", call }, content, events);
    }
    // These deltas replace fields, so the arguments are the whole text so far.
    events.push({
      event: "content-block-delta",
      index,
      delta: {
        type: "block-delta",
        fields: {
          type: "tool_call_chunk",
          ...(id === undefined ? {} : { id }),
          ...(name === undefined ? {} : { name }),
          args,
        },
      },
    });
  }

  private open(block: OpenBlock, content: ContentBlock, events: ChatModelStreamEvent[]): number {
    const index = this.blocks.push(block) - 1;
    events.push({ event: "content-block-start", index, content });
    return index;
  }

  private finishedBlocks(block: OpenBlock): ContentBlock[] {
    if (block.type === "text") return splitImages(block.text);
    if (block.type === "reasoning") return [block];
    return [readToolCall(this.reader.toolCalls[block.call] ?? {}) as ContentBlock];
  }
}

function isSharedReason(reason: string | null | undefined): reason is FinishReason {
  return reason === "stop" || reason === "length" || reason === "content_filter";
}
