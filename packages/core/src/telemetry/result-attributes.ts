import type { Attributes } from "@opentelemetry/api";
import type { Usage } from "../chat/chat-types.js";
import { readCacheTokens } from "../chat/read-cache-tokens.js";
import type { TracedCall } from "../hooks/tracer.js";

/** What the answer tells of the call, without anything that models wrote. */
export function resultAttributes({ call }: Pick<TracedCall, "call">, result: unknown): Attributes {
  if (typeof result !== "object" || result === null) return {};
  return call.startsWith("videos.") ? videoAttributes(result) : answerAttributes(result);
}

function videoAttributes(task: {
  handle?: { id?: unknown };
  status?: unknown;
  progress?: unknown;
}): Attributes {
  const { handle, status, progress } = task;
  return {
    ...(typeof handle?.id === "string" && { "model_gateway.video.task_id": handle.id }),
    ...(typeof status === "string" && { "model_gateway.video.status": status }),
    ...(typeof progress === "number" && { "model_gateway.video.progress": progress }),
  };
}

interface Answer {
  id?: unknown;
  model?: unknown;
  choices?: ReadonlyArray<{ finish_reason?: unknown } | null>;
  usage?: Usage | null;
}

function answerAttributes({ id, model, choices, usage }: Answer): Attributes {
  const reasons = Array.isArray(choices)
    ? choices.map((choice) => choice?.finish_reason).filter((reason) => typeof reason === "string")
    : [];
  const cached = readCacheTokens(usage);
  const tokens = {
    "gen_ai.usage.input_tokens": usage?.prompt_tokens ?? usage?.["input_tokens"],
    "gen_ai.usage.output_tokens": usage?.completion_tokens ?? usage?.["output_tokens"],
    "gen_ai.usage.cache_read.input_tokens": cached.read,
    "gen_ai.usage.cache_creation.input_tokens": cached.written,
    "gen_ai.usage.reasoning.output_tokens": usage?.completion_tokens_details?.reasoning_tokens,
  };
  return {
    ...(typeof id === "string" && id !== "" && { "gen_ai.response.id": id }),
    ...(typeof model === "string" && model !== "" && { "gen_ai.response.model": model }),
    ...(reasons.length > 0 && { "gen_ai.response.finish_reasons": reasons }),
    ...Object.fromEntries(Object.entries(tokens).filter(([, count]) => typeof count === "number")),
  };
}
