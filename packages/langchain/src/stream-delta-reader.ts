import {
  type ChatCompletion,
  type ChatCompletionChunk,
  ThinkTagReader,
  ToolCallReader,
  type ToolCallUpdate,
} from "@model-gateway/core";
import { type Answer, type AnswerReading, choicesOf, readAnswer } from "./read-answer.js";
import { readContentParts } from "./read-content-parts.js";

/** What one event of a stream adds to what can be shown. */
export interface Delta {
  text: string;
  reasoning: string;
  toolCalls: ToolCallUpdate[];
}

const NO_UPDATES: ToolCallUpdate[] = [];

/** Reads the events of a streamed answer; what is told once is read at the end, from the whole. */
export class StreamDeltaReader {
  private readonly toolCalls = new ToolCallReader();
  private readonly thinkTags: ThinkTagReader | undefined;
  private id: string | undefined;
  private shown = false;

  constructor(private readonly reading: AnswerReading) {
    this.thinkTags = reading.thinkTags ? new ThinkTagReader() : undefined;
  }

  /** One id for all pieces of the message: the first that was told before there was anything to show. */
  get messageId(): string | undefined {
    return this.id;
  }

  /** @returns undefined when the event adds nothing to show */
  read(event: ChatCompletionChunk): Delta | undefined {
    if (!this.shown) this.id ??= event.id || undefined;
    const delta = event.choices?.find(({ index }) => !index)?.delta;
    if (!delta) return undefined;
    const content: unknown = delta.content;
    const thoughts = delta.reasoning_content ?? delta.reasoning;
    let text = typeof content === "string" ? content : "";
    let reasoning = typeof thoughts === "string" ? thoughts : "";
    if (Array.isArray(content)) {
      const parts = readContentParts(content);
      text = parts.text;
      reasoning += parts.reasoning;
    }
    if (this.thinkTags !== undefined) {
      const read = this.thinkTags.add(text);
      text = read.text;
      reasoning += read.reasoning;
    }
    const toolCalls = delta.tool_calls ? this.readFragments(delta.tool_calls) : NO_UPDATES;
    return this.show({ text, reasoning, toolCalls });
  }

  /** What was held back until the answer was over. */
  readRest(): Delta | undefined {
    return this.thinkTags && this.show({ ...this.thinkTags.end(), toolCalls: NO_UPDATES });
  }

  /**
   * The whole answer.
   *
   * @param completion the events, added up
   * @throws InvalidResponseError when there is no choice
   */
  finish(completion: ChatCompletion | undefined): Answer {
    const [choice] = choicesOf(completion);
    return readAnswer(completion as ChatCompletion, choice, this.reading, this.toolCalls.calls);
  }

  private readFragments(fragments: unknown): ToolCallUpdate[] {
    return (Array.isArray(fragments) ? fragments : [fragments]).map((fragment) =>
      this.toolCalls.add(fragment),
    );
  }

  private show(delta: Delta): Delta | undefined {
    if (delta.text === "" && delta.reasoning === "" && delta.toolCalls.length === 0) return undefined;
    this.shown = true;
    return delta;
  }
}
