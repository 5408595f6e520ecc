import type {
  LanguageModelV4File,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { StreamingToolCallTracker } from "@ai-sdk/provider-utils";
import {
  type ChatCompletionChunk,
  type CompletionDelta,
  findMessageImages,
  type Usage,
} from "@model-gateway/core";
import { convertUsage } from "./convert-usage.js";
import { namelessToolCallError } from "./map-error.js";
import { isCutOff, mapFinishReason } from "./map-finish-reason.js";
import { PROVIDER_KEY } from "./model-gateway-config.js";
import { ToolCallNameBuffer } from "./tool-call-name-buffer.js";

type Emit = (part: LanguageModelV4StreamPart) => void;

const REASONING_ID = "reasoning-0";
const TEXT_ID = "text-0";

/**
 * Turns chunks into the SDK's stream parts: one metadata part, reasoning before text, text before tools, every
 * block opened and closed once per run, `finish` last.
 */
export class ChatStreamParts {
  private openBlock: { type: "text" | "reasoning"; id: string } | undefined;
  private blocks = 0;
  private metadataSent = false;
  private hasToolCalls = false;
  private usage: Usage | undefined;
  private rawFinishReason: string | undefined;
  /** Text and image parts so far: an image in Markdown is known when the text is whole. */
  private text = "";
  private readonly images: unknown[] = [];
  private readonly tools: StreamingToolCallTracker;
  private readonly names = new ToolCallNameBuffer();

  constructor(
    private readonly emit: Emit,
    private readonly requestId: string | undefined,
  ) {
    this.tools = new StreamingToolCallTracker({ enqueue: (part) => part && this.emitToolPart(part) });
  }

  add(chunk: ChatCompletionChunk): void {
    if (!this.metadataSent) {
      this.metadataSent = true;
      this.emit({
        type: "response-metadata",
        id: chunk.id || undefined,
        modelId: chunk.model || undefined,
        timestamp: chunk.created ? new Date(chunk.created * 1000) : undefined,
      });
    }
    if (chunk.usage) this.usage = chunk.usage;
    const choice = chunk.choices?.[0];
    if (choice === undefined) return;
    if (choice.finish_reason) this.rawFinishReason = choice.finish_reason;
    if (choice.delta) this.addDelta(choice.delta);
  }

  /** The stream is complete: where the images are that came in it. */
  imageAddresses(): string[] {
    const fromText = findMessageImages({ content: this.text });
    return [...new Set([...findMessageImages({ content: null, images: this.images }), ...fromText])];
  }

  /** The stream is complete: closes what is open, hands out files and tool calls and finishes. */
  finish(files: readonly LanguageModelV4File[]): void {
    this.closeBlock();
    for (const file of files) this.emit(file);
    const reason = mapFinishReason(this.rawFinishReason, this.hasToolCalls);
    this.tools.flush();
    for (const nameless of this.names.rest())
      this.emit({ type: "error", error: namelessToolCallError(nameless) });
    this.emitFinish(reason);
  }

  /** The stream broke: tool calls that are not known to be whole are never handed out. */
  fail(error: unknown): void {
    this.closeBlock();
    this.emit({ type: "error", error });
    this.emitFinish({ unified: "error", raw: this.rawFinishReason });
  }

  /** The SDK reads empty arguments as `{}` and would run a call that was cut off before its first argument. */
  private emitToolPart(part: LanguageModelV4StreamPart): void {
    if (part.type === "tool-call" && isCutOff(part.input, this.rawFinishReason)) return;
    this.emit(part);
  }

  private addDelta(delta: CompletionDelta): void {
    const reasoning = delta.reasoning_content ?? delta.reasoning;
    if (typeof reasoning === "string" && reasoning !== "") {
      const id = this.enter("reasoning");
      this.emit({ type: "reasoning-delta", id, delta: reasoning });
    }
    // Routes of image models send parts in place of text.
    const content: unknown = delta.content;
    if (typeof content === "string" && content !== "") this.addText(content);
    if (Array.isArray(content)) this.addParts(content);
    if (Array.isArray(delta["images"])) this.images.push(...delta["images"]);
    for (const fragment of delta.tool_calls ?? []) {
      this.closeBlock();
      const whole = this.names.take(fragment);
      if (whole === undefined) continue;
      this.hasToolCalls = true;
      this.tools.processDelta(whole);
    }
  }

  private addText(text: string): void {
    const id = this.enter("text");
    this.text += text;
    this.emit({ type: "text-delta", id, delta: text });
  }

  private addParts(parts: readonly unknown[]): void {
    for (const part of parts) {
      const { text } = (part ?? {}) as { text?: unknown };
      if (typeof text === "string") this.addText(text);
      else this.images.push(part);
    }
  }

  private enter(type: "text" | "reasoning"): string {
    if (this.openBlock?.type === type) return this.openBlock.id;
    this.closeBlock();
    const first = type === "text" ? TEXT_ID : REASONING_ID;
    const id = this.blocks === 0 ? first : `${type}-${this.blocks}`;
    this.blocks++;
    this.openBlock = { type, id };
    this.emit(type === "text" ? { type: "text-start", id } : { type: "reasoning-start", id });
    return id;
  }

  private closeBlock(): void {
    if (this.openBlock === undefined) return;
    const { type, id } = this.openBlock;
    this.openBlock = undefined;
    this.emit(type === "text" ? { type: "text-end", id } : { type: "reasoning-end", id });
  }

  private emitFinish(finishReason: LanguageModelV4FinishReason): void {
    this.emit({
      type: "finish",
      finishReason,
      usage: convertUsage(this.usage),
      ...(this.requestId === undefined
        ? {}
        : { providerMetadata: { [PROVIDER_KEY]: { requestId: this.requestId } } }),
    });
  }
}
