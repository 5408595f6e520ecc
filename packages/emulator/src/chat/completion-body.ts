import { randomUUID } from "node:crypto";
import { tokenize } from "../language/tokenize.js";
import type { ChatRequest } from "./chat-request.js";
import type { LimitedReply } from "./reply.js";

/** Everything a completion is written from. */
export interface Completion {
  id: string;
  /** Seconds since the epoch. */
  created: number;
  model: string;
  request: ChatRequest;
  reply: LimitedReply;
  promptTokens: number;
}

/** Characters of tool arguments per streamed piece: several pieces even for short arguments. */
const ARGUMENT_PIECE = 12;

/** What a token of a local model is said to be worth: it has no doubts. */
const LOG_PROBABILITY = -0.01;

/** The answer as one object. */
export function completionBody(completion: Completion): object {
  const { id, created, model, request, reply } = completion;
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: Array.from({ length: request.count }, (_, index) => ({
      index,
      message: {
        role: "assistant",
        content: reply.content,
        ...(reply.reasoning === undefined ? {} : { reasoning_content: reply.reasoning }),
        ...(reply.toolCalls.length === 0 ? {} : { tool_calls: toolCallsOf(reply) }),
      },
      ...(request.logprobs ? { logprobs: { content: tokenize(reply.content ?? "").map(tokenLogprob) } } : {}),
      finish_reason: reply.finishReason,
    })),
    usage: usageOf(completion),
  };
}

/** The answer as the chunks of a stream, without the end marker. */
export function* completionChunks(completion: Completion): Generator<object> {
  const { id, created, model, request, reply } = completion;
  const chunk = (choices: object[]) => ({
    id,
    object: "chat.completion.chunk",
    created,
    model,
    choices,
    // With usage asked for, every chunk but the last says that it has none.
    ...(request.includeUsage ? { usage: null } : {}),
  });
  for (let index = 0; index < request.count; index++) {
    const delta = (delta: object, logprobs?: object) =>
      chunk([{ index, delta, ...(logprobs ? { logprobs } : {}), finish_reason: null }]);
    yield delta({ role: "assistant", content: "" });
    for (const text of tokenize(reply.reasoning ?? "")) yield delta({ reasoning_content: text });
    for (const text of reply.chunks ?? tokenize(reply.content ?? "")) {
      yield delta({ content: text }, request.logprobs ? { content: [tokenLogprob(text)] } : undefined);
    }
    for (const [position, call] of toolCallsOf(reply).entries()) {
      const { name, arguments: text } = call.function;
      yield delta({
        tool_calls: [{ index: position, id: call.id, type: "function", function: { name, arguments: "" } }],
      });
      for (let start = 0; start < text.length; start += ARGUMENT_PIECE) {
        const piece = text.slice(start, start + ARGUMENT_PIECE);
        yield delta({ tool_calls: [{ index: position, function: { arguments: piece } }] });
      }
    }
    yield chunk([{ index, delta: {}, finish_reason: reply.finishReason }]);
  }
  if (request.includeUsage) yield { ...chunk([]), usage: usageOf(completion) };
}

function toolCallsOf(reply: LimitedReply) {
  return reply.toolCalls.map((call) => ({
    id: `call_${randomUUID().replaceAll("-", "").slice(0, 24)}`,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  }));
}

function tokenLogprob(token: string): object {
  return { token, logprob: LOG_PROBABILITY, bytes: [...Buffer.from(token)], top_logprobs: [] };
}

function usageOf({ promptTokens, reply, request }: Completion): object {
  const completionTokens = reply.completionTokens * request.count;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reply.reasoningTokens * request.count },
  };
}
