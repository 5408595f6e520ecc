import { modelGateway } from "@model-gateway/ai-sdk-provider";
import { convertToModelMessages, isStepCount, streamText } from "ai";
import { type ChatMessage, tools } from "./weather";

/** Answers a request of `useChat`, in Node and in the edge runtime alike. */
export async function answerChat(request: Request): Promise<Response> {
  const { messages } = (await request.json()) as { messages: ChatMessage[] };
  const result = streamText({
    model: modelGateway(process.env["CHAT_MODEL"] ?? "local-chat"),
    messages: await convertToModelMessages(messages),
    tools,
    stopWhen: isStepCount(4),
    abortSignal: request.signal,
  });
  return result.toUIMessageStreamResponse();
}
