import type {
  JSONObject,
  LanguageModelV4File,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { asArray } from "@ai-sdk/provider-utils";
import type { ChatCompletion, ChatCompletionChunk, ThinkTagPiece, Usage } from "@model-gateway/core";
import { readToolCalls, ThinkTagReader } from "@model-gateway/core/chat";
import { StreamInterruptedError } from "@model-gateway/core/errors";
import { findMessageImages } from "@model-gateway/core/images";
import { answerMetadata, firstChoice } from "./answer-metadata.js";
import { CitedSources } from "./cited-sources.js";
import { ContentBlocks } from "./content-blocks.js";
import { convertUsage } from "./convert-usage.js";
import { FenceReader } from "./fence-reader.js";
import { toSDKStreamError } from "./map-error.js";
import { mapFinishReason } from "./map-finish-reason.js";
import { PROVIDER_KEY } from "./model-gateway-config.js";
import { ToolCallParts } from "./tool-call-parts.js";

/** Where an image of an answer is. */
export interface ImageAddress {
  address: string;
  /** The model wrote it into its text, where a prompt can make it write any. */
  written: boolean;
}

/** How an answer is read. */
export interface AnswerReading {
  requestId: string | undefined;
  /** Whether the model writes its reasoning between tags, before its text. */
  thinkTags: boolean;
  /** Whether JSON was asked for in the prompt, which models put between fences. */
  mayBeFenced: boolean;
}

/** A message or a delta: what of both is read the same way. */
type MessagePiece = Record<string, unknown>;

/**
 * Turns an answer, in chunks or whole, into the SDK's stream parts: blocks opened and closed once per run, tool calls
 * when the answer is complete, `finish` last.
 */
export class ChatAnswerParts {
  private readonly blocks: ContentBlocks;
  private readonly tools: ToolCallParts;
  private readonly sources: CitedSources;
  private readonly tags: ThinkTagReader | undefined;
  private readonly fence: FenceReader | undefined;
  /** Who answered, as far as the answer says. */
  readonly head: { id?: string; modelId?: string; timestamp?: Date } = {};
  private headSent = false;
  private wholeToolCalls: unknown;
  private usage: Usage | undefined;
  private rawFinishReason: string | undefined;
  private refused = false;
  /** Text and image parts so far: an image in Markdown is known when the text is whole. */
  private text = "";
  private readonly images: unknown[] = [];

  constructor(
    private readonly emit: (part: LanguageModelV4StreamPart) => void,
    private readonly reading: AnswerReading,
  ) {
    this.blocks = new ContentBlocks(emit);
    this.tools = new ToolCallParts(emit);
    this.sources = new CitedSources(emit);
    if (reading.thinkTags) this.tags = new ThinkTagReader();
    if (reading.mayBeFenced) this.fence = new FenceReader();
  }

  addChunk(chunk: ChatCompletionChunk): void {
    this.readHead(chunk);
    // A call for several choices streams them mixed; the SDK knows one.
    const choice = chunk.choices?.find((candidate) => (candidate?.index ?? 0) === 0);
    if (!choice) return;
    this.readFinishReason(choice.finish_reason);
    const { delta } = choice;
    if (!delta) return;
    this.readMessage(delta);
    for (const fragment of asArray<unknown>(delta.tool_calls ?? [])) {
      this.blocks.close();
      this.tools.add(fragment);
    }
  }

  /** A whole answer; `finish` follows. */
  addCompletion(completion: ChatCompletion): void {
    this.readHead(completion);
    const choice = firstChoice(completion);
    this.readFinishReason(choice?.finish_reason);
    this.wholeToolCalls = choice?.message?.tool_calls;
    this.readMessage(choice?.message ?? {});
  }

  /** The answer is complete: where the images are that came in it. */
  imageAddresses(): ImageAddress[] {
    const named = findMessageImages({ content: null, images: this.images });
    const written = findMessageImages({ content: this.text }).filter((address) => !named.includes(address));
    return [
      ...named.map((address) => ({ address, written: false })),
      ...written.map((address) => ({ address, written: true })),
    ];
  }

  /**
   * The answer is complete: closes what is open, hands out files and tool calls and finishes.
   *
   * @param completion the answer as a whole, for what has no part of its own
   */
  finish(files: readonly LanguageModelV4File[], completion: ChatCompletion): void {
    this.closeText();
    for (const file of files) this.emit(file);
    const reason = mapFinishReason(this.rawFinishReason, { refused: this.refused });
    const stopped = reason.unified === "stop" || reason.unified === "tool-calls";
    const handedOut = this.tools.finish(readToolCalls(this.wholeToolCalls), {
      mayBeCut: !stopped,
      carried: goesBack(completion),
    });
    // Some routes end an answer that calls tools with `stop`.
    const unified = handedOut && reason.unified === "stop" ? "tool-calls" : reason.unified;
    this.emitFinish({ ...reason, unified }, completion);
  }

  /** The stream broke: tool calls that are not known to be whole are never handed out. */
  fail(error: unknown, baseURL: string): void {
    this.closeText();
    this.emit({ type: "error", error: toSDKStreamError(error, baseURL) });
    this.tools.abandon();
    const unified = StreamInterruptedError.isInstance(error) ? "interrupted" : "error";
    this.emitFinish({ unified, raw: this.rawFinishReason }, partialOf(error));
  }

  /** Some routes begin with a chunk that knows neither its id nor its model. */
  private readHead({ id, model, created, usage }: ChatCompletionChunk | ChatCompletion): void {
    if (usage) this.usage = usage;
    if (this.headSent) return;
    this.head.id ??= id || undefined;
    this.head.modelId ??= model || undefined;
    this.head.timestamp ??= created ? new Date(created * 1000) : undefined;
    if (this.head.id !== undefined && this.head.modelId !== undefined) this.sendHead();
  }

  private sendHead(): void {
    if (this.headSent) return;
    this.headSent = true;
    if (Object.values(this.head).some((value) => value !== undefined)) {
      this.emit({ type: "response-metadata", ...this.head });
    }
  }

  private readFinishReason(reason: unknown): void {
    if (reason && typeof reason === "string") this.rawFinishReason = reason;
  }

  private readMessage(message: MessagePiece): void {
    const { content, refusal, images } = message;
    const reasoning = message["reasoning_content"] ?? message["reasoning"];
    if (typeof reasoning === "string" && reasoning !== "") this.blocks.reasoning(reasoning);
    if (typeof content === "string") this.addText(content);
    // Routes of image models and of thinking models send parts in place of text.
    else if (Array.isArray(content)) for (const part of content) this.addPart(part);
    this.addRefusal(refusal);
    if (Array.isArray(images)) this.images.push(...images);
    this.sources.add(message["annotations"]);
  }

  private addText(text: string): void {
    if (text === "") return;
    if (this.tags === undefined) this.writeUnfenced(text);
    else this.writeTagged(this.tags.add(text));
  }

  private writeTagged({ reasoning, text }: ThinkTagPiece): void {
    if (reasoning !== "") this.blocks.reasoning(reasoning, { thinkTags: true });
    if (text !== "") this.writeUnfenced(text);
  }

  private writeUnfenced(text: string): void {
    this.writeText(this.fence === undefined ? text : this.fence.add(text));
  }

  private writeText(text: string): void {
    if (text === "") return;
    this.text += text;
    this.blocks.text(text);
  }

  private addPart(part: unknown): void {
    const { type, text, refusal } = (part ?? {}) as MessagePiece;
    if (type === "thinking") this.addThinking(part as MessagePiece);
    else if (type === "redacted_thinking") this.blocks.redactedReasoning(part as JSONObject);
    else if (type === "reasoning" && typeof text === "string") this.blocks.reasoning(text);
    else if (type === "refusal") this.addRefusal(refusal);
    else if (typeof text === "string") this.addText(text);
    else this.images.push(part);
  }

  private addThinking({ type, index, thinking, ...extra }: MessagePiece): void {
    const parts = Array.isArray(thinking);
    const words = parts ? (thinking as MessagePiece[]).map((inner) => inner?.["text"]) : [thinking];
    const text = words.filter((word) => typeof word === "string").join("");
    // A signature comes with the last piece.
    this.blocks.reasoning(text, { thinking: parts ? "parts" : "text" }, extra as JSONObject);
  }

  /** The format has a place of its own for it; the SDK shows it as text and tells it by the finish reason. */
  private addRefusal(refusal: unknown): void {
    if (typeof refusal !== "string" || refusal === "") return;
    this.refused = true;
    this.writeText(refusal);
  }

  private closeText(): void {
    if (this.tags !== undefined) this.writeTagged(this.tags.end());
    if (this.fence !== undefined) this.writeText(this.fence.end());
    this.blocks.close();
  }

  private emitFinish(
    finishReason: LanguageModelV4FinishReason,
    completion: ChatCompletion | undefined,
  ): void {
    this.sendHead();
    const { requestId } = this.reading;
    const { cut } = this.tools;
    const known: JSONObject = {
      ...(requestId === undefined ? {} : { requestId }),
      ...answerMetadata(completion),
      ...(cut.length === 0 ? {} : { cutToolCalls: cut }),
    };
    this.emit({
      type: "finish",
      finishReason,
      usage: convertUsage(this.usage),
      ...(Object.keys(known).length === 0 ? {} : { providerMetadata: { [PROVIDER_KEY]: known } }),
    });
  }
}

/** What a model wants back with its tool calls. */
function goesBack(completion: ChatCompletion): JSONObject {
  const details = firstChoice(completion)?.message?.["reasoning_details"];
  return Array.isArray(details) && details.length > 0 ? { reasoning_details: details } : {};
}

/** What had arrived when a stream broke. */
function partialOf(error: unknown): ChatCompletion | undefined {
  const { partial } = (error ?? {}) as { partial?: ChatCompletion };
  return Array.isArray(partial?.choices) ? partial : undefined;
}
