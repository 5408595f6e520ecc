import type { Field } from "../checks/field.js";
import type { ChangeLog, PartChanges } from "../persistence/change-log.js";
import type { KeptEntry } from "../persistence/kept-entry.js";
import type { KeptStore } from "../persistence/kept-store.js";
import { loadPart } from "../persistence/load-part.js";
import { Counters } from "./counters.js";
import { matchesPath } from "./matches-path.js";
import { Refusal } from "./refusal.js";
import { ReplyFunctions } from "./reply-functions.js";
import { requireInteger } from "./require-integer.js";
import { readSavedReply, saveRule } from "./saved-reply.js";

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

interface KeptReply {
  reply: ActiveReply;
  /** It is of the options. */
  given: boolean;
}

const PART = "replies";

/** Answers that are written by hand, in the order in which they were added: the first that fits is given. */
export class ReplyStore implements KeptStore {
  private replies: KeptReply[] = [];
  private readonly functions: ReplyFunctions;
  private readonly counters: Counters;
  private readonly changes: PartChanges | undefined;

  constructor(functions = new ReplyFunctions(), counters = new Counters(), changes?: ChangeLog) {
    this.functions = functions;
    this.counters = counters;
    this.changes = changes?.of(PART);
  }

  get isEmpty(): boolean {
    return this.replies.length === 0;
  }

  /** Adds a reply after those that are there; returns its id. @throws TypeError when it makes no sense */
  add(rule: ReplyRule): string {
    return this.create(rule, false).reply.id;
  }

  /**
   * Puts the replies of the options before all others. One that was kept goes on with what it was used, and those of
   * options that are no more are gone.
   *
   * @throws TypeError when one makes no sense
   */
  provide(rules: readonly ReplyRule[]): void {
    const others = this.replies.filter(({ given }) => !given);
    const before = this.replies.filter(({ given }) => given);
    const text = (rule: ReplyRule) => JSON.stringify(saveRule(rule, this.functions));
    const provided: KeptReply[] = [];
    for (const rule of rules) {
      const index = before.findIndex(({ reply: { id, used, ...kept } }) => text(kept) === text(rule));
      const [found] = index < 0 ? [] : before.splice(index, 1);
      provided.push(found ?? this.create(rule, true));
    }
    this.replies = [...provided, ...others];
  }

  list(): ActiveReply[] {
    return this.replies.map(({ reply }) => ({ ...reply }));
  }

  /** Takes one away, or all. */
  clear(id?: string): void {
    const gone = this.replies.filter(({ reply }) => id === undefined || reply.id === id);
    this.replies = this.replies.filter((kept) => !gone.includes(kept));
    for (const { reply } of gone) this.changes?.delete(reply.id);
  }

  *save(): Iterable<KeptEntry> {
    for (const kept of this.replies) yield { part: PART, key: kept.reply.id, value: this.saved(kept) };
  }

  /** A reply that is code of another process cannot be had again, and is left out. */
  load(state: Field): void {
    loadPart(state, PART, readSavedReply, ({ id, used, given = false, code, rule }) => {
      const reply = code === undefined ? rule.reply : this.functions.find(code);
      if (code !== undefined && reply === undefined) return;
      const whole: ReplyRule = { ...rule, ...(reply !== undefined && { reply }) };
      requireSense(whole);
      this.replies.push({ reply: { ...whole, id, used }, given });
    });
  }

  /** The first reply for a request, with one of its `times` used up. */
  take(request: ScriptedRequest, key: string | null): ReplyLookup {
    const misses: string[] = [];
    for (const kept of this.replies) {
      const { reply: rule } = kept;
      const reason = whyNot(rule, request, key);
      if (reason === undefined) {
        rule.used += 1;
        this.changes?.set(rule.id, () => this.saved(kept));
        return { rule, misses };
      }
      misses.push(`${rule.id}: ${reason}`);
    }
    return { misses };
  }

  private create(rule: ReplyRule, given: boolean): KeptReply {
    requireSense(rule);
    const kept = { reply: { ...rule, id: this.counters.next("reply"), used: 0 }, given };
    this.replies.push(kept);
    this.changes?.set(kept.reply.id, () => this.saved(kept));
    return kept;
  }

  private saved({ reply: { id, used, ...rule }, given }: KeptReply): object {
    return { id, used, ...(given && { given }), ...saveRule(rule, this.functions) };
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
