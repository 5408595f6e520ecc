import type { StreamShape } from "../transport/json-stream-reader.js";
import type { ChatCompletion, ChatCompletionChunk, CompletionDelta, Usage } from "./chat-types.js";
import { ToolCallAssembler } from "./tool-call-assembler.js";

interface ChoiceState {
  index: number;
  content: string | null;
  reasoning: string;
  toolCalls: ToolCallAssembler;
  finishReason: string | null;
}

/** Adds up the chunks of a stream, cheaply enough to run for every stream. */
export class CompletionAccumulator implements StreamShape<ChatCompletionChunk> {
  private head: ChatCompletionChunk | undefined;
  private lastUsage: Usage | undefined;
  private readonly choices: ChoiceState[] = [];
  private finished = false;

  accept(chunk: ChatCompletionChunk): boolean {
    this.head ??= chunk;
    if (chunk.usage) this.lastUsage = chunk.usage;
    // Usage comes in a chunk without choices; some routes leave the field out altogether.
    for (const choice of chunk.choices ?? []) {
      const state = this.choiceAt(choice.index ?? 0);
      if (choice.delta) addDelta(state, choice.delta);
      if (choice.finish_reason) {
        state.finishReason = choice.finish_reason;
        this.finished = true;
      }
    }
    return this.finished;
  }

  /** The completion so far; undefined before the first chunk. */
  partial(): ChatCompletion | undefined {
    const { head } = this;
    if (head === undefined) return undefined;
    return {
      id: head.id,
      object: "chat.completion",
      created: head.created,
      model: head.model,
      choices: this.choices.map(({ index, content, reasoning, toolCalls, finishReason }) => ({
        index,
        message: {
          role: "assistant",
          content,
          ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
          ...(toolCalls.calls.length === 0
            ? {}
            : { tool_calls: toolCalls.calls.map((call) => ({ ...call, function: { ...call.function } })) }),
        },
        finish_reason: finishReason,
      })),
      ...(this.lastUsage === undefined ? {} : { usage: this.lastUsage }),
    };
  }

  usage(): Usage | undefined {
    return this.lastUsage;
  }

  private choiceAt(index: number): ChoiceState {
    let state = this.choices.find((choice) => choice.index === index);
    if (state === undefined) {
      state = { index, content: null, reasoning: "", toolCalls: new ToolCallAssembler(), finishReason: null };
      this.choices.push(state);
    }
    return state;
  }
}

function addDelta(state: ChoiceState, delta: CompletionDelta): void {
  const { content, tool_calls: toolCalls } = delta;
  if (typeof content === "string") state.content = state.content === null ? content : state.content + content;
  const reasoning = delta.reasoning_content ?? delta.reasoning;
  if (typeof reasoning === "string") state.reasoning += reasoning;
  for (const fragment of toolCalls ?? []) state.toolCalls.add(fragment);
}
