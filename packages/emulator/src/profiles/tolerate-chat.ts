import { isRecord } from "../json/is-record.js";

type Body = Record<string, unknown>;

const ROLES: Readonly<Record<string, string>> = { developer: "system", function: "tool" };
const MOST_STOPS = 4;
/** Bounds of numbers; what lies outside is left out. */
const BOUNDS: Readonly<Record<string, [min: number, max: number]>> = {
  temperature: [0, 2],
  top_p: [0, 1],
  presence_penalty: [-2, 2],
  frequency_penalty: [-2, 2],
  top_logprobs: [0, 20],
  max_tokens: [1, Number.POSITIVE_INFINITY],
  max_completion_tokens: [1, Number.POSITIVE_INFINITY],
  n: [1, 128],
};
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh"];

/** `POST /chat/completions` as clients send it: other roles and parts, numbers out of bounds, options without their others. */
export function tolerateChat(body: Body): Body {
  const tolerated: Body = { ...body };
  for (const [name, [min, max]] of Object.entries(BOUNDS)) {
    const value = tolerated[name];
    if (typeof value !== "number" || value < min || value > max) delete tolerated[name];
  }
  if (!EFFORTS.includes(String(tolerated["reasoning_effort"]))) delete tolerated["reasoning_effort"];
  if (tolerated["stream"] !== true) delete tolerated["stream_options"];
  if (Array.isArray(tolerated["stop"])) tolerated["stop"] = tolerated["stop"].slice(0, MOST_STOPS);
  if (!Number.isInteger(tolerated["seed"])) delete tolerated["seed"];
  for (const name of ["metadata", "logit_bias"]) if (!isRecord(tolerated[name])) delete tolerated[name];
  if (tolerated["user"] !== undefined) tolerated["user"] = String(tolerated["user"]);
  tolerated["response_format"] = responseFormatOf(tolerated["response_format"]);
  Object.assign(tolerated, toolsOf(tolerated));
  if (Array.isArray(tolerated["messages"])) tolerated["messages"] = messagesOf(tolerated["messages"]);
  return tolerated;
}

/** The tools that are functions, also in the form that came before tools. */
function toolsOf({ tools, functions, tool_choice, function_call }: Body): Body {
  const given = Array.isArray(tools)
    ? tools.filter((tool) => isRecord(tool) && tool["type"] === "function")
    : [];
  const older = Array.isArray(functions)
    ? functions.map((each: unknown) => ({ type: "function", function: each }))
    : [];
  const usable = [...given, ...older];
  const wanted = tool_choice ?? function_call;
  const choice = wanted === "any" ? "required" : wanted;
  const forced =
    isRecord(choice) && choice["type"] === undefined ? { type: "function", function: choice } : choice;
  const isPossible =
    usable.length > 0 && (typeof forced === "string" || (isRecord(forced) && forced["type"] === "function"));
  return {
    ...{ functions: undefined, function_call: undefined },
    tools: usable.length > 0 ? usable : undefined,
    tool_choice: isPossible ? forced : undefined,
  };
}

function responseFormatOf(format: unknown): unknown {
  if (!isRecord(format)) return undefined;
  if (format["type"] !== "json_schema")
    return ["text", "json_object"].includes(String(format["type"])) ? format : undefined;
  const schema = isRecord(format["json_schema"]) ? format["json_schema"] : { schema: format["schema"] };
  return { type: "json_schema", json_schema: { name: "answer", ...schema } };
}

/** A tool result that answers no call that is there is material like what the user says. */
function messagesOf(messages: readonly unknown[]): unknown[] {
  const calls = new Set<unknown>();
  return messages.map((message) => {
    if (!isRecord(message)) return message;
    const role = ROLES[String(message["role"])] ?? message["role"];
    const toolCalls = Array.isArray(message["tool_calls"]) ? message["tool_calls"] : [];
    for (const call of toolCalls) if (isRecord(call)) calls.add(call["id"]);
    const isAnswer = role === "tool" && calls.has(message["tool_call_id"]);
    const tolerated: Body = { ...message, role: role === "tool" && !isAnswer ? "user" : role };
    if (typeof message["name"] !== "string") delete tolerated["name"];
    if (toolCalls.length === 0) delete tolerated["tool_calls"];
    else tolerated["tool_calls"] = toolCalls.map(withArgumentsAsText);
    tolerated["content"] = contentOf(message["content"], toolCalls.length > 0);
    return tolerated;
  });
}

function withArgumentsAsText(call: unknown): unknown {
  const called = isRecord(call) ? call["function"] : undefined;
  if (!isRecord(call) || !isRecord(called) || typeof called["arguments"] === "string") return call;
  return { ...call, function: { ...called, arguments: JSON.stringify(called["arguments"] ?? {}) } };
}

/** Texts and images; of what a model of chat does not read, that it was there. */
function contentOf(content: unknown, isOptional: boolean): unknown {
  if (content === null || content === undefined) return isOptional ? null : "";
  if (!Array.isArray(content)) return typeof content === "string" ? content : JSON.stringify(content);
  return content.map((part: unknown) => {
    if (typeof part === "string") return { type: "text", text: part };
    if (!isRecord(part)) return part;
    const { type, text, refusal, image_url: image } = part;
    if (type === "image_url") return { type, image_url: typeof image === "string" ? { url: image } : image };
    if (type === "input_image" && typeof image === "string")
      return { type: "image_url", image_url: { url: image } };
    if (typeof text === "string") return { type: "text", text };
    if (typeof refusal === "string") return { type: "text", text: refusal };
    return { type: "text", text: `(${String(type)})` };
  });
}
