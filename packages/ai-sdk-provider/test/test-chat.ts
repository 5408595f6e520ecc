import { AbstractChat, type ChatInit, type ChatState, type ChatStatus, type UIMessage } from "ai";

/** What `useChat` holds, without React. */
class PlainState implements ChatState<UIMessage> {
  status: ChatStatus = "ready";
  error: Error | undefined;

  constructor(public messages: UIMessage[]) {}

  pushMessage = (message: UIMessage): void => {
    this.messages = [...this.messages, message];
  };

  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1);
  };

  replaceMessage = (index: number, message: UIMessage): void => {
    this.messages = this.messages.map((old, at) => (at === index ? this.snapshot(message) : old));
  };

  snapshot = <T>(thing: T): T => structuredClone(thing);
}

/** The chat behind `useChat`. */
export class TestChat extends AbstractChat<UIMessage> {
  constructor({ messages = [], ...init }: ChatInit<UIMessage>) {
    super({ ...init, state: new PlainState(messages) });
  }

  /** Of its last message, if that is an answer. */
  get text(): string {
    return this.lastMessage?.role === "assistant" ? textOf(this.lastMessage) : "";
  }
}

export function textOf({ parts }: UIMessage): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}
