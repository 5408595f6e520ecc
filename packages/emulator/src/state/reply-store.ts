import { matchesPath } from "./matches-path.js";
import { Refusal } from "./refusal.js";
import { requireInteger } from "./require-integer.js";

/** What JSON can hold. */
export type JSONValue =
  | string
  | number
  | boolean
  | null
  | JSONValue[]
  | { [name: string]: JSONValue | undefined };

/** Which requests a reply is for: all that is given must hold. */
export interface ReplyCondition {
  /** Path below the base address, such as `/chat/completions`; a trailing `*` matches any rest. */
  path?: string;
  model?: string;
  /** The whole key. */
  key?: string;
  /**
   * What the text of the request holds, in whatever case, or what it matches: of chat the last user message, else the
   * input or the prompt.
   */
  text?: string | RegExp;
  /** Of chat: the tool whose result the request ends with. */
  tool?: string;
  /** Of chat: which answer of the conversation it is, 1 for the first. */
  turn?: number;
}

/** A tool call as a script writes it. */
export interface ScriptedToolCall {
  name: string;
  /** An object, or text as it is sent, which may be broken JSON. Default `{}`. */
  arguments?: string | { [name: string]: JSONValue };
}

/** What a chat model is made to say: text, or anything else as JSON. */
export type ReplyText = JSONValue | ((request: ScriptedRequest) => JSONValue | Promise<JSONValue>);

/** An answer that is written by hand, and the requests that get it. */
export interface ReplyRule {
  /** Default: every request that it can answer. */
  when?: ReplyCondition;
  /** Of chat: what it says. In code it may be a function of the request. */
  reply?: ReplyText;
  /** Of chat: what it says, cut as its stream is to be. */
  chunks?: string[];
  /** Of chat: what it thinks aloud before, in `reasoning_content`. */
  reasoning?: string;
  /** Of chat: the tools that it calls, after what it says. */
  toolCalls?: ScriptedToolCall[];
  /** Of chat. Default `tool_calls` with tool calls, else `stop`. */
  finishReason?: "stop" | "length" | "tool_calls" | "content_filter";
  /** Of chat. Default: as the emulator counts. They are what is billed, too. */
  usage?: { promptTokens?: number; completionTokens?: number };
  /** Of any endpoint: the whole answer, as it stands. Nothing is checked, and nothing billed. */
  body?: { [name: string]: JSONValue };
  /** Of any endpoint: the events of a stream, as they stand. Nothing is checked, and nothing billed. */
  events?: JSONValue[];
  /** Of any endpoint: an error. Default of `code` and `message`: what says that it was scripted. */
  error?: { status: number; code?: string; message?: string; retryAfter?: number };
  /** Real milliseconds before the answer, and before each event of a stream. Alone, the emulator answers so. */
  pace?: { firstMs?: number; eachMs?: number };
  /** How many requests get it before it is passed over. Default: all. */
  times?: number;
}

/** A reply that is kept, and how often it was given. */
export interface ActiveReply extends ReplyRule {
  id: string;
  used: number;
}

/** What is known of a request when replies are looked up. */
export interface ScriptedRequest {
  path: string;
  model: string | null;
  text: string;
  /** Of chat. */
  tool?: string | undefined;
  /** Of chat. */
  turn?: number | undefined;
  body: unknown;
}

/** What came of looking for a reply. */
export interface ReplyLookup {
  rule?: ActiveReply;
  /** Why those before it, or all, are not for this request. */
  misses: string[];
}

const CHAT_PATH = "/chat/completions";
const CHAT_MEMBERS = ["reply", "chunks", "reasoning", "toolCalls", "finishReason", "usage"] as const;
const WHOLE_MEMBERS = ["body", "events", "error"] as const;
/** A pattern is tried on no more text than this. */
const LONGEST_MATCHED_TEXT = 10_000;
const SHOWN_TEXT = 60;

/** Answers that are written by hand, in the order in which they were added: the first that fits is given. */
export class ReplyStore {
  private replies: ActiveReply[] = [];
  private readonly initial: readonly ReplyRule[];
  private count = 0;

  constructor(initial: readonly ReplyRule[]) {
    this.initial = [...initial];
    this.reset();
  }

  get isEmpty(): boolean {
    return this.replies.length === 0;
  }

  /** Adds a reply after those that are there; returns its id. @throws TypeError when it makes no sense */
  add(rule: ReplyRule): string {
    requireSense(rule);
    const id = `reply-${++this.count}`;
    this.replies.push({ ...rule, id, used: 0 });
    return id;
  }

  list(): ActiveReply[] {
    return this.replies.map((reply) => ({ ...reply }));
  }

  /** Takes one away, or all. */
  clear(id?: string): void {
    this.replies = id === undefined ? [] : this.replies.filter((reply) => reply.id !== id);
  }

  reset(): void {
    this.replies = [];
    this.count = 0;
    for (const rule of this.initial) this.add(rule);
  }

  /** The first reply for a request, with one of its `times` used up. */
  take(request: ScriptedRequest, key: string | null): ReplyLookup {
    const misses: string[] = [];
    for (const rule of this.replies) {
      const reason = whyNot(rule, request, key);
      if (reason === undefined) {
        rule.used += 1;
        return { rule, misses };
      }
      misses.push(`${rule.id}: ${reason}`);
    }
    return { misses };
  }
}

function whyNot(rule: ActiveReply, request: ScriptedRequest, key: string | null): string | undefined {
  const {
    path = isOfChat(rule) ? CHAT_PATH : undefined,
    model,
    key: wanted,
    text,
    tool,
    turn,
  } = rule.when ?? {};
  if (path !== undefined && !matchesPath(path, request.path))
    return `the path is ${request.path}, not ${path}`;
  if (model !== undefined && model !== request.model) return `the model is ${request.model}, not ${model}`;
  if (wanted !== undefined && wanted !== key) return "the key is another";
  if (tool !== undefined && tool !== request.tool) {
    return `${request.tool === undefined ? "no tool result comes last" : `the last tool result is of ${request.tool}`}, not of ${tool}`;
  }
  if (turn !== undefined && turn !== request.turn) return `the turn is ${request.turn}, not ${turn}`;
  if (text !== undefined && !holds(request.text, text)) {
    const shown = request.text.length > SHOWN_TEXT ? `${request.text.slice(0, SHOWN_TEXT)}…` : request.text;
    return `the text ${JSON.stringify(shown)} ${typeof text === "string" ? `does not hold ${JSON.stringify(text)}` : `does not match ${text}`}`;
  }
  if (rule.times !== undefined && rule.used >= rule.times) return `it was given ${rule.used} times already`;
  return undefined;
}

function holds(text: string, wanted: string | RegExp): boolean {
  if (typeof wanted === "string") return text.toLowerCase().includes(wanted.toLowerCase());
  // What a pattern found before must not decide where it looks now.
  wanted.lastIndex = 0;
  return wanted.test(text.slice(0, LONGEST_MATCHED_TEXT));
}

function isOfChat(rule: ReplyRule): boolean {
  return CHAT_MEMBERS.some((name) => rule[name] !== undefined);
}

function requireSense(rule: ReplyRule): void {
  const whole = WHOLE_MEMBERS.filter((name) => rule[name] !== undefined);
  const ofChat = CHAT_MEMBERS.filter((name) => rule[name] !== undefined);
  const [first] = whole;
  if (whole.length > 1) throw new Refusal(`A reply has one of ${WHOLE_MEMBERS.join(", ")}, and not several.`);
  if (first !== undefined && ofChat.length > 0) {
    throw new Refusal(
      `${first} of a reply is the whole answer: ${ofChat.join(", ")} cannot stand beside it.`,
    );
  }
  if (rule.reply !== undefined && rule.chunks !== undefined) {
    throw new Refusal("reply and chunks of a reply both say what it says: give one of them.");
  }
  const { path } = rule.when ?? {};
  if (ofChat.length > 0 && path !== undefined && !matchesPath(path, CHAT_PATH)) {
    throw new Refusal(
      `${ofChat.join(", ")} of a reply is for ${CHAT_PATH}, and its path is ${path}: give body, events or error.`,
    );
  }
  const says = ["reply", "chunks", "toolCalls"] as const;
  if (first === undefined && rule.pace === undefined && says.every((name) => rule[name] === undefined)) {
    throw new Refusal("A reply says something: give reply, chunks, toolCalls, body, events, error or pace.");
  }
  requireInteger("times of a reply", rule.times, 1);
  requireInteger("when.turn of a reply", rule.when?.turn, 1);
  requireInteger("error.status of a reply", rule.error?.status, 400, 599);
  requireInteger("error.retryAfter of a reply", rule.error?.retryAfter, 0);
  requireInteger("pace.firstMs of a reply", rule.pace?.firstMs, 0);
  requireInteger("pace.eachMs of a reply", rule.pace?.eachMs, 0);
  requireInteger("usage.promptTokens of a reply", rule.usage?.promptTokens, 0);
  requireInteger("usage.completionTokens of a reply", rule.usage?.completionTokens, 0);
}
