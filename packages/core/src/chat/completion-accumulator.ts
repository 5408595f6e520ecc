import { readObject } from "../json/read-json-value.js";
import type { StreamShape } from "../streams/json-stream-reader.js";
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChunkChoice,
  CompletionChoice,
  CompletionMessage,
  Usage,
} from "./chat-types.js";
import type { ChunkTemplate } from "./chunk-template.js";
import { findChatError } from "./find-chat-error.js";
import { addField, joinParts } from "./join-deltas.js";
import { ToolCallReader, toToolCall } from "./tool-call-reader.js";

interface ChoiceState {
  index: number;
  content: string | null;
  /** The latest of `content`: joined in groups, since a rope of every token keeps as many objects alive. */
  pieces: string[];
  /** Set as soon as a route sends content in parts: then text joins them. */
  parts: unknown[] | undefined;
  reasoning: string;
  toolCalls: ToolCallReader;
  finishReason: string | null;
  /** Fields of the message and of the choice that nothing above holds. */
  messageFields: Record<string, unknown>;
  choiceFields: Record<string, unknown>;
}

/** Longest event of a chat stream; a picture in Base64 may be one. */
const MAX_EVENT_LENGTH = 64 * 2 ** 20;

/** Adds up the chunks of a stream, cheaply enough to run for every stream. */
export class CompletionAccumulator implements StreamShape<ChatCompletionChunk> {
  readonly maxEventLength = MAX_EVENT_LENGTH;
  #head: { id: string; created: number; model: string } | undefined;
  #fields: Record<string, unknown> = {};
  #lastUsage: Usage | undefined;
  readonly #choices: ChoiceState[] = [];
  /** The same by their numbers: a hostile event may hold a hundred thousand. */
  readonly #choicesByIndex = new Map<number, ChoiceState>();
  /** Of the last chunk with a choice. */
  #latest: ChoiceState | undefined;

  readonly #requireFinishReason: boolean;
  readonly #expected: number;

  /**
   * @param requireFinishReason false for routes that send no finish reason: then the end marker counts for one
   * @param expected number of choices that were asked for
   * @param template undefined where each chunk is to be parsed
   */
  constructor(
    requireFinishReason = true,
    expected = 1,
    readonly template: ChunkTemplate | undefined = undefined,
  ) {
    this.#requireFinishReason = requireFinishReason;
    this.#expected = expected;
  }

  acceptRepeated(): void {
    const { template } = this;
    const latest = this.#latest;
    if (template === undefined || latest === undefined) return;
    if (template.field === "content") addContent(latest, template.text);
    else latest.reasoning += template.text;
  }

  accept(chunk: ChatCompletionChunk): void {
    const head = this.#head;
    if (head === undefined) {
      this.#head = { id: chunk.id || "", created: chunk.created || 0, model: chunk.model || "" };
    } else {
      // Some routes open with an empty chunk, and name answer and model in a later one.
      head.id ||= chunk.id || "";
      head.created ||= chunk.created || 0;
      head.model ||= chunk.model || "";
    }
    for (const field in chunk) if (!CHUNK_FIELDS.has(field)) addField(this.#fields, field, chunk[field]);
    if (chunk.usage) this.#lastUsage = chunk.usage;
    // Usage comes in a chunk without choices; some routes leave the field out altogether.
    for (const choice of chunk.choices ?? []) this.#addChoice(choice);
  }

  findError(chunk: ChatCompletionChunk): unknown {
    return findChatError(chunk);
  }

  isWhole(marked: boolean): boolean {
    const choices = this.#choices;
    if (marked && !this.#requireFinishReason) return true;
    if (choices.length === 0 || choices.some(({ finishReason }) => finishReason === null)) return false;
    // Without a marker, a choice that was asked for may have been about to begin.
    return marked || choices.length >= this.#expected;
  }

  /** The completion so far; undefined before the first chunk. */
  partial(): ChatCompletion | undefined {
    if (this.#head === undefined) return undefined;
    return {
      ...this.#fields,
      id: this.#head.id,
      object: "chat.completion",
      created: this.#head.created,
      model: this.#head.model,
      choices: this.#choices.map(toChoice),
      ...(this.#lastUsage === undefined ? {} : { usage: this.#lastUsage }),
    };
  }

  usage(): Usage | undefined {
    return this.#lastUsage;
  }

  #addChoice(choice: ChunkChoice): void {
    const state = this.#choiceAt(choice.index ?? 0);
    this.#latest = state;
    if (choice.finish_reason) state.finishReason = choice.finish_reason;
    for (const field in choice) {
      if (field === "delta") addDelta(state, choice.delta ?? {});
      else if (field !== "index" && field !== "finish_reason")
        addField(state.choiceFields, field, choice[field]);
    }
  }

  #choiceAt(index: number): ChoiceState {
    let state = this.#choicesByIndex.get(index);
    if (state === undefined) {
      state = {
        index,
        content: null,
        pieces: [],
        parts: undefined,
        reasoning: "",
        toolCalls: new ToolCallReader(),
        finishReason: null,
        messageFields: {},
        choiceFields: {},
      };
      this.#choices.push(state);
      this.#choicesByIndex.set(index, state);
    }
    return state;
  }
}

const CHUNK_FIELDS = new Set(["id", "object", "created", "model", "choices", "usage"]);

function addDelta(state: ChoiceState, delta: ChunkChoice["delta"]): void {
  for (const field in delta) {
    const value = delta[field];
    if (value === null || value === undefined) continue;
    switch (field) {
      case "role":
        break;
      case "content":
        addContent(state, value);
        break;
      case "reasoning_content":
        if (typeof value === "string") state.reasoning += value;
        break;
      case "reasoning":
        // Some routes send the same words under both names.
        if (typeof value === "string" && typeof delta.reasoning_content !== "string")
          state.reasoning += value;
        break;
      case "tool_calls":
        for (const fragment of Array.isArray(value) ? value : [value]) {
          // An empty place in the list is no call.
          if (readObject(fragment) !== undefined) state.toolCalls.add(fragment);
        }
        break;
      default:
        addField(state.messageFields, field, value);
    }
  }
}

function addContent(state: ChoiceState, content: unknown): void {
  if (state.parts === undefined && typeof content === "string") {
    state.content ??= "";
    if (state.pieces.push(content) === GROUP) joinPieces(state);
    return;
  }
  if (state.parts === undefined) {
    joinPieces(state);
    state.parts = state.content ? [{ type: "text", text: state.content }] : [];
    state.content = null;
  }
  joinParts(state.parts, typeof content === "string" ? [{ type: "text", text: content }] : content);
}

/** Pieces that are joined at once. */
const GROUP = 64;

function joinPieces(state: ChoiceState): void {
  if (state.pieces.length === 0) return;
  state.content += state.pieces.join("");
  state.pieces = [];
}

function toChoice(state: ChoiceState): CompletionChoice {
  joinPieces(state);
  const { index, content, parts, reasoning, toolCalls, finishReason } = state;
  return {
    ...state.choiceFields,
    index,
    message: {
      ...state.messageFields,
      role: "assistant",
      content: (parts === undefined ? content : plainText(parts)) as CompletionMessage["content"],
      ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
      ...(toolCalls.calls.length === 0 ? {} : { tool_calls: toolCalls.calls.map(toToolCall) }),
    },
    finish_reason: finishReason,
  };
}

/** Parts that are nothing but text say no more than the text. */
function plainText(parts: readonly unknown[]): string | unknown[] {
  const [only] = parts;
  const { type, text, ...rest } = readObject(only) ?? {};
  const isPlain = parts.length === 1 && type === "text" && Object.keys(rest).length === 0;
  return isPlain && typeof text === "string" ? text : [...parts];
}
