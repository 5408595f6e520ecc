import type { ChatModelStreamEvent, FinishReason } from "@langchain/core/language_models/event";
import type { ContentBlock } from "@langchain/core/messages";
import type { ChatCompletion, ChatCompletionChunk, ToolCallUpdate } from "@model-gateway/core";
import { toMessage, toResponseMetadata } from "./convert-completion.js";
import type { AnswerReading } from "./read-answer.js";
import { type Delta, StreamDeltaReader } from "./stream-delta-reader.js";

/** A block that grows; `call` is the position of a tool call. */
type OpenBlock = { type: "text" } | { type: "reasoning" } | { type: "tool"; call: number };

/** Makes LangChain's content-block events (`model.streamEvents(input)`) out of the events of a stream. */
export class StreamEventBuilder {
  private readonly reader: StreamDeltaReader;
  private readonly blocks: OpenBlock[] = [];
  private readonly blockOfCall = new Map<number, number>();
  private textBlock: number | undefined;
  private reasoningBlock: number | undefined;
  private started = false;

  constructor(private readonly reading: AnswerReading) {
    this.reader = new StreamDeltaReader(reading);
  }

  read(event: ChatCompletionChunk): ChatModelStreamEvent[] {
    return this.show(this.reader.read(event));
  }

  finish(completion: ChatCompletion | undefined, requestId: string | undefined): ChatModelStreamEvent[] {
    const events = this.show(this.reader.readRest());
    const answer = this.reader.finish(completion);
    this.start(events);
    const message = toMessage(answer, this.reading, requestId);
    // What only the whole answer tells (an image in the text, a citation) makes more blocks: those go behind.
    const finished: ContentBlock[] = [...message.contentBlocks];
    this.blocks.forEach((block, index) => {
      const id = block.type === "tool" ? answer.calls[block.call]?.id : undefined;
      const at = finished.findIndex((content) => isFinished(block, content, id));
      const [content] = at === -1 ? [] : finished.splice(at, 1);
      if (content !== undefined) events.push({ event: "content-block-finish", index, content });
    });
    finished.forEach((content, position) => {
      const index = this.blocks.length + position;
      events.push({ event: "content-block-start", index, content });
      events.push({ event: "content-block-finish", index, content });
    });
    const usage = message.usage_metadata;
    if (usage !== undefined) events.push({ event: "usage", usage });
    events.push({
      event: "message-finish",
      // Only words that both sides share: LangChain writes `reason` over the metadata, and a message must not
      // say "tool_use" here and "tool_calls" when it was read another way.
      ...(isSharedReason(answer.finishReason) ? { reason: answer.finishReason } : {}),
      ...(usage === undefined ? {} : { usage }),
      responseMetadata: toResponseMetadata(answer, requestId),
    });
    return events;
  }

  private show(delta: Delta | undefined): ChatModelStreamEvent[] {
    const events: ChatModelStreamEvent[] = [];
    if (delta === undefined) return events;
    this.start(events);
    if (delta.reasoning !== "") this.addReasoning(delta.reasoning, events);
    if (delta.text !== "") this.addText(delta.text, events);
    for (const update of delta.toolCalls) this.addToolCall(update, events);
    return events;
  }

  private start(events: ChatModelStreamEvent[]): void {
    if (this.started) return;
    this.started = true;
    const id = this.reader.messageId;
    events.push({ event: "message-start", ...(id === undefined ? {} : { id }) });
  }

  private addReasoning(reasoning: string, events: ChatModelStreamEvent[]): void {
    this.reasoningBlock ??= this.open({ type: "reasoning" }, { type: "reasoning", reasoning: "" }, events);
    const delta = { type: "reasoning-delta" as const, reasoning };
    events.push({ event: "content-block-delta", index: this.reasoningBlock, delta });
  }

  private addText(text: string, events: ChatModelStreamEvent[]): void {
    this.textBlock ??= this.open({ type: "text" }, { type: "text", text: "" }, events);
    events.push({ event: "content-block-delta", index: this.textBlock, delta: { type: "text-delta", text } });
  }

  /** An id or a name that is told after the first fragment comes with the finished block. */
  private addToolCall(
    { call: { index: call }, id, name, arguments: args }: ToolCallUpdate,
    events: ChatModelStreamEvent[],
  ): void {
    let index = this.blockOfCall.get(call);
    if (index === undefined) {
      index = this.open(
        { type: "tool", call },
        { type: "tool_call_chunk", id, name, args: "", index: call },
        events,
      );
      this.blockOfCall.set(call, index);
    }
    if (args !== "")
      events.push({ event: "content-block-delta", index, delta: { type: "tool-call-delta", args } });
  }

  private open(block: OpenBlock, content: ContentBlock, events: ChatModelStreamEvent[]): number {
    const index = this.blocks.push(block) - 1;
    events.push({ event: "content-block-start", index, content });
    return index;
  }
}

function isFinished(block: OpenBlock, content: ContentBlock, callId: string | undefined): boolean {
  if (block.type === "reasoning") return content.type === "reasoning";
  // A text may have begun with an image, or have been nothing else.
  if (block.type === "text") return content.type === "text" || content.type === "image";
  const isCall = content.type === "tool_call" || content.type === "invalid_tool_call";
  return isCall && content["id"] === callId;
}

function isSharedReason(reason: string | null): reason is FinishReason {
  return reason === "stop" || reason === "length" || reason === "content_filter";
}
