import type { Field } from "../checks/field.js";
import type { ChatRequest } from "./chat-request.js";
import { checkMessages } from "./check-messages.js";
import { checkResponseFormat, checkToolChoice, checkTools } from "./check-tools.js";

const MAX_TEMPERATURE = 2;
const MAX_PENALTY = 2;
const MAX_STOP_SEQUENCES = 4;
const MAX_CHOICES = 128;
const MAX_TOP_LOGPROBS = 20;
const REASONING_EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh"] as const;

/**
 * Checks a body of `POST /chat/completions`: what the API description lists, and the members of the
 * chat-completion wire format that clients also send. Members of neither are passed over.
 *
 * @throws APIError 400
 */
export function checkChatRequest(body: Field): ChatRequest {
  const tools = body.getNullable("tools").optional(checkTools) ?? [];
  const stream = body.getNullable("stream").optional((field) => field.boolean()) ?? false;
  const request: ChatRequest = {
    model: body.get("model").nonEmptyString() ?? "",
    messages: checkMessages(body.get("messages")),
    tools,
    toolChoice: checkToolChoice(body.getNullable("tool_choice"), tools),
    parallelToolCalls: body.getNullable("parallel_tool_calls").optional((field) => field.boolean()) ?? true,
    responseFormat: checkResponseFormat(body.getNullable("response_format")),
    stream,
    includeUsage: checkStreamOptions(body.getNullable("stream_options"), stream),
    maxTokens: checkTokenLimit(body),
    stop: checkStop(body.getNullable("stop")),
    count: body.getNullable("n").optional((field) => field.integer({ min: 1, max: MAX_CHOICES })) ?? 1,
    seed: body.getNullable("seed").optional((field) => field.integer()),
    logprobs: body.getNullable("logprobs").optional((field) => field.boolean()) ?? false,
  };
  checkWithoutEffect(body);
  body.finish();
  return request;
}

function checkTokenLimit(body: Field): number {
  const limits = [
    body.getNullable("max_tokens").optional((field) => field.integer({ min: 1 })),
    body.getNullable("max_completion_tokens").optional((field) => field.number({ min: 1 })),
  ];
  return Math.floor(Math.min(...limits.map((limit) => limit ?? Number.POSITIVE_INFINITY)));
}

function checkStreamOptions(field: Field, stream: boolean): boolean {
  if (!field.present || !field.object()) return false;
  if (!stream) field.refuse("is allowed only when stream is true");
  return field.getNullable("include_usage").optional((member) => member.boolean()) ?? false;
}

function checkStop(field: Field): string[] {
  if (!field.present) return [];
  if (typeof field.value === "string") return field.value === "" ? [] : [field.value];
  const items = field.items("a string or an array of strings") ?? [];
  if (items.length > MAX_STOP_SEQUENCES) field.refuse(`takes at most ${MAX_STOP_SEQUENCES} sequences`);
  return items.map((item) => item.string() ?? "").filter((sequence) => sequence !== "");
}

/** Members that a local model has no use for, but whose form is still part of the wire format. */
function checkWithoutEffect(body: Field): void {
  body.getNullable("temperature").optional((field) => field.number({ min: 0, max: MAX_TEMPERATURE }));
  body.getNullable("top_p").optional((field) => field.number({ min: 0, max: 1 }));
  for (const penalty of ["presence_penalty", "frequency_penalty"]) {
    body.getNullable(penalty).optional((field) => field.number({ min: -MAX_PENALTY, max: MAX_PENALTY }));
  }
  body.getNullable("metadata").optional((field) => field.object());
  body.getNullable("user").optional((field) => field.string());
  body.getNullable("logit_bias").optional((field) => field.object());
  body.getNullable("top_logprobs").optional((field) => field.integer({ min: 0, max: MAX_TOP_LOGPROBS }));
  body.getNullable("reasoning_effort").optional((field) => field.oneOf(REASONING_EFFORTS));
}
