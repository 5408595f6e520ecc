import { chunkPause } from "../api/chunk-pause.js";
import type { Exchange, Route } from "../api/exchange.js";
import type { ScriptedReply } from "../api/scripted-reply.js";
import type { Services } from "../api/services.js";
import { abortableDelay } from "../http/abortable-delay.js";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import { eventStreamResponse } from "../http/event-stream.js";
import type { JSONValue, ReplyRule, ScriptedRequest } from "../state/reply-store.js";
import type { ObservedRequest } from "./observe-request.js";

/** What a script has for a request: all of the answer, or what the endpoint is to say. */
export interface ScriptedAnswer {
  whole?: Answer;
  exchange?: Pick<Exchange, "scripted" | "eachMs">;
}

/** Chat alone ends its streams with a marker. */
const CHAT_PATH = "/chat/completions";

/**
 * Looks for a reply that was written for a request, and waits as long as it says.
 *
 * @throws APIError when the reply is one, or when there is none and only replies are given
 */
export async function findScriptedAnswer(
  services: Services,
  route: Route,
  body: unknown,
  { path, token, entry, signal }: ObservedRequest,
): Promise<ScriptedAnswer> {
  const { replies, unmatched } = services;
  if (replies.isEmpty && unmatched === "answer") return {};
  const request: ScriptedRequest = {
    path,
    model: entry.model,
    text: route.promptTexts?.(body).join("\n") ?? "",
    ...route.conversationOf?.(body),
    body,
  };
  const { rule, misses } = replies.take(request, token);
  if (rule === undefined) {
    entry.misses = misses;
    if (unmatched === "refuse" && route.method === "POST") throw noReply(misses);
    return {};
  }
  entry.reply = rule.id;
  const { firstMs = 0, eachMs } = rule.pace ?? {};
  if (firstMs > 0) await abortableDelay(firstMs, signal);
  if (rule.error !== undefined) throw errorOf(rule.error, rule.id);
  if (rule.body !== undefined) return { whole: Answer.json(rule.body) };
  if (rule.events !== undefined) {
    const pause = chunkPause({ services, signal, eachMs });
    return { whole: eventStreamResponse(rule.events, { pause, endMarker: path === CHAT_PATH }) };
  }
  const scripted = await chatReplyOf(rule, request);
  return { exchange: { scripted, eachMs } };
}

async function chatReplyOf(rule: ReplyRule, request: ScriptedRequest): Promise<ScriptedReply | undefined> {
  const { reply, chunks, reasoning, toolCalls, finishReason, usage } = rule;
  if (reply === undefined && chunks === undefined && toolCalls === undefined) return undefined;
  const said = typeof reply === "function" ? await reply(request) : reply;
  return {
    content: chunks !== undefined ? chunks.join("") : said === undefined ? null : textOf(said),
    toolCalls: (toolCalls ?? []).map(({ name, arguments: given = {} }) => ({
      name,
      arguments: textOf(given),
    })),
    ...(chunks !== undefined && { chunks }),
    ...(reasoning !== undefined && { reasoning }),
    ...(finishReason !== undefined && { finishReason }),
    ...(usage !== undefined && { usage }),
  };
}

function textOf(value: JSONValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function errorOf(
  { status, code, message, retryAfter }: NonNullable<ReplyRule["error"]>,
  id: string,
): APIError {
  return new APIError(message ?? `The script ${id} answers ${status}.`, {
    status,
    code:
      code ?? (status === 429 ? "rate_limit_exceeded" : status >= 500 ? "internal_error" : "scripted_error"),
    headers: retryAfter === undefined ? {} : { "retry-after": String(retryAfter) },
  });
}

function noReply(misses: readonly string[]): APIError {
  const reasons = misses.length === 0 ? "There is none." : `${misses.join("; ")}.`;
  return APIError.badRequest(
    `No scripted reply is for this request, and only those are given. ${reasons}`,
    "no_reply",
  );
}
