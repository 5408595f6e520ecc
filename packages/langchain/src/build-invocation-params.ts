import type { ChatCompletionRequest } from "@model-gateway/core";
import type {
  ChatModelGatewayCallOptions,
  ChatModelGatewayFields,
  ChatModelGatewaySampling,
} from "./chat-model-options.js";
import { convertToolChoice, convertTools } from "./convert-tools.js";

type ModelSettings = Omit<ChatModelGatewaySampling, "streamUsage"> &
  Pick<ChatModelGatewayFields, "model" | "stop"> &
  Required<Pick<ChatModelGatewayFields, "tokenLimitParam">>;

/** The request body without its messages: what the model or the call sets, the call first, and nothing else. */
export function buildInvocationParams(
  model: ModelSettings,
  call: Partial<ChatModelGatewayCallOptions> = {},
): Omit<ChatCompletionRequest, "messages"> {
  // Agents bind an empty list, and some routes refuse one.
  const tools = call.tools?.length ? convertTools(call.tools, call.strict) : undefined;
  const stop = call.stop ?? model.stop;
  return withoutUndefined({
    model: model.model,
    temperature: call.temperature ?? model.temperature,
    [model.tokenLimitParam]: call.maxTokens ?? model.maxTokens,
    top_p: call.topP ?? model.topP,
    stop: stop?.length ? stop : undefined,
    user: call.user ?? model.user,
    tools,
    tool_choice: tools && convertToolChoice(call.tool_choice),
    parallel_tool_calls: tools && call.parallel_tool_calls,
    response_format: call.response_format,
    ...model.modelKwargs,
    ...call.modelKwargs,
  });
}

function withoutUndefined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}
