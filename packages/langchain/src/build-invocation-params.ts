import type { ChatCompletionRequest, ToolChoice } from "@model-gateway/core";
import {
  type ChatModelGatewayCallOptions,
  type ChatModelGatewayFields,
  type ChatModelGatewaySampling,
  WIRE_NAMES,
} from "./chat-model-options.js";
import { convertToolChoice, convertTools } from "./convert-tools.js";

type ModelSettings = Omit<ChatModelGatewaySampling, "streamUsage"> &
  Pick<ChatModelGatewayFields, "model" | "stop"> &
  Required<Pick<ChatModelGatewayFields, "tokenLimitParam" | "forcedToolChoice">>;

/** The request body without its messages: what the model or the call sets, the call first, and nothing else. */
export function buildInvocationParams(
  model: ModelSettings,
  call: Partial<ChatModelGatewayCallOptions> = {},
): Omit<ChatCompletionRequest, "messages"> {
  // Agents bind an empty list, and some routes refuse one.
  const tools = call.tools?.length ? convertTools(call.tools, call.strict) : undefined;
  const toolChoice = tools && convertToolChoice(call.tool_choice);
  const stop = call.stop ?? model.stop;
  const sampling = Object.entries(WIRE_NAMES).map(([option, name]) => {
    const setting = option as keyof typeof WIRE_NAMES;
    return [name, call[setting] ?? model[setting]];
  });
  return withoutUndefined({
    model: call.model ?? model.model,
    ...Object.fromEntries(sampling),
    [model.tokenLimitParam]: call.maxTokens ?? model.maxTokens,
    stop: stop?.length ? stop : undefined,
    tools,
    tool_choice: model.forcedToolChoice ? toolChoice : unforced(toolChoice),
    parallel_tool_calls: tools && call.parallel_tool_calls,
    response_format: call.response_format,
    ...model.modelKwargs,
    ...call.modelKwargs,
  });
}

/** The most that can be asked of a model that cannot be made to call a tool. */
function unforced(choice: ToolChoice | undefined): ToolChoice | undefined {
  return choice === undefined || choice === "none" ? choice : "auto";
}

function withoutUndefined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}
