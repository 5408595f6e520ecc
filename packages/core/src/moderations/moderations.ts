import type { APIPromise } from "../call/api-promise.js";
import { type Call, LONG_TIMEOUT_MS, type RequestOptions, SHORT_TIMEOUT_MS } from "../call/call.js";
import type { Sender } from "../call/sender.js";
import { CHAT_PATH } from "../chat/chat-path.js";
import { findChatError } from "../chat/find-chat-error.js";
import { Checker } from "../checks/checker.js";
import type { Cost } from "../costs/cost.js";
import { APIError } from "../errors/api-error.js";
import { moderationPrompt } from "./moderation-prompt.js";
import type { ModerationVerdict } from "./moderation-verdict.js";
import { readChatVerdict } from "./read-chat-verdict.js";
import { readEndpointVerdict } from "./read-endpoint-verdict.js";

/** Body of `POST /moderations`. Further fields pass through. */
export interface ModerationRequest {
  model: string;
  input: string;
}

/** One judgement of `POST /moderations`; which categories there are depends on the account. */
export interface ModerationResult {
  flagged: boolean;
  categories: Record<string, boolean>;
  category_scores: Record<string, number>;
  [field: string]: unknown;
}

/** Answer of `POST /moderations`, kept as the gateway sent it. */
export interface ModerationResponse {
  results: ModerationResult[];
  /** What the call cost, where the client has `prices` and they, or the gateway, say. */
  cost?: Cost;
  [field: string]: unknown;
}

/**
 * Who judges: `endpoint` asks `POST /moderations`, `chat` a chat model, `auto` the endpoint, and a chat model when
 * the key has no moderation (403 or 404).
 */
export type ModerationStrategy = "auto" | "endpoint" | "chat";

/** Options of `moderations.classify`; those of every call apply to each request that is made. */
export interface ClassifyOptions extends Omit<RequestOptions, "idempotencyKey"> {
  /** Default `auto`. */
  strategy?: ModerationStrategy;
  /** The model to ask: a moderation model for the endpoint, a chat model for `chat`. */
  model: string;
  /** The chat model, where it differs. Default: `model`. */
  chatModel?: string;
}

const STRATEGIES: readonly ModerationStrategy[] = ["auto", "endpoint", "chat"];
const NOT_ENABLED =
  "POST /moderations answers only once moderation has been enabled for the key; without it, " +
  'moderations.classify can use a chat model (strategy "chat" or "auto").';

/** Moderation, by the gateway's endpoint or by a chat model. */
export class Moderations {
  constructor(private readonly sender: Sender) {}

  /**
   * Asks `POST /moderations`, which is there only for keys that it has been enabled for: otherwise a
   * `PermissionDeniedError` or `NotFoundError` that says so.
   */
  create(body: ModerationRequest, options?: RequestOptions): APIPromise<ModerationResponse> {
    return this.sender.json(endpointCall("moderations.create", body), options, (answer, unreadable) => {
      if (!hasResults(answer)) throw unreadable("JSON that is no moderation: it has no results");
      return answer;
    });
  }

  /**
   * Judges a text by the seven categories and three actions of the API description's convention.
   *
   * Of the endpoint's answer, a category is `block` when it is flagged with a score from 0.5 or with none, `review`
   * when it is flagged below that or scored above it without a flag; a flag outside the seven categories is
   * `review`; the strictest counts. A chat model names the action itself, and what it allows in spite of a category
   * that it finds is `review`. An answer that is no verdict is an `InvalidResponseError`, and never `allow`.
   */
  async classify(input: string, options: ClassifyOptions): Promise<ModerationVerdict> {
    checkClassify(input, options);
    const { strategy = "auto", model, chatModel = model, ...requestOptions } = options;
    const sender = this.sender.asOneCall(requestOptions);
    if (strategy === "chat") return askChat(sender, input, chatModel, requestOptions);
    try {
      return await askEndpoint(sender, { model, input }, requestOptions);
    } catch (error) {
      if (strategy !== "auto" || !isNotEnabled(error)) throw error;
      return askChat(sender, input, chatModel, requestOptions);
    }
  }
}

function askEndpoint(
  sender: Pick<Sender, "json">,
  body: ModerationRequest,
  options: RequestOptions,
): APIPromise<ModerationVerdict> {
  return sender.json(endpointCall("moderations.classify", body), options, (answer, unreadable) => {
    const verdict = readEndpointVerdict(answer);
    if (verdict === undefined) throw unreadable("JSON that holds no moderation verdict");
    return verdict;
  });
}

function askChat(
  sender: Pick<Sender, "json">,
  input: string,
  model: string,
  options: RequestOptions,
): APIPromise<ModerationVerdict> {
  const call: Call = {
    name: "moderations.classify",
    method: "POST",
    path: CHAT_PATH,
    cost: "repeatable",
    body: { model, messages: moderationPrompt(input, newMark()), temperature: 0 },
    findError: findChatError,
    hint: (meaning) =>
      meaning === 404
        ? "Judging by a chat model needs one that the key can reach: name it in chatModel."
        : undefined,
    defaultTimeoutMs: LONG_TIMEOUT_MS,
  };
  return sender.json(call, options, (answer, unreadable) => {
    const verdict = readChatVerdict(answer);
    if (verdict === undefined) throw unreadable(`an answer of ${model} that is no moderation verdict`);
    return verdict;
  });
}

/** One word: a model copies and compares it as a whole. */
function newMark(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

function endpointCall(name: string, body: ModerationRequest): Call {
  return {
    name,
    method: "POST",
    path: "/moderations",
    cost: "repeatable",
    body,
    check: () => {
      const check = new Checker(body);
      check.requiredString("model");
      check.requiredString("input");
      check.throwIfAny();
    },
    hint: (meaning) => (meaning === 403 || meaning === 404 ? NOT_ENABLED : undefined),
    defaultTimeoutMs: SHORT_TIMEOUT_MS,
  };
}

function checkClassify(input: string, options: ClassifyOptions): void {
  const check = new Checker({ ...options, input });
  check.requiredString("input");
  check.requiredString("model");
  if (options?.chatModel !== undefined) check.requiredString("chatModel");
  if (options?.strategy !== undefined && !STRATEGIES.includes(options.strategy)) {
    check.add("strategy", `must be one of ${STRATEGIES.join(", ")}`, options.strategy);
  }
  check.throwIfAny();
}

/** Anything else, such as a wrong key or an overload, says nothing about moderation and is not worked around. */
function isNotEnabled(error: unknown): boolean {
  return error instanceof APIError && (error.status === 403 || error.kind === "not_found");
}

function hasResults(answer: unknown): answer is ModerationResponse {
  return Array.isArray((answer as Partial<ModerationResponse> | null)?.results);
}
