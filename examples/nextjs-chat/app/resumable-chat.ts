import { modelGateway } from "@model-gateway/ai-sdk-provider";
import { resumableChat } from "@model-gateway/ai-sdk-provider/resumable";
import { convertToModelMessages, generateId, isStepCount, streamText, toUIMessageStream } from "ai";
import { type ChatMessage, tools } from "./weather";

/** Answers `useChat`, in Node and in the edge runtime alike; whoever leaves finds the answer when he comes back. */
export const chat = resumableChat({
  // Set by proxy.ts. Where people log in, this is the id of the user.
  owner: (request) => /(?:^|; )visitor=([^;]+)/.exec(request.headers.get("cookie") ?? "")?.[1],
  async answer(request, { signal }) {
    const { messages } = (await request.json()) as { messages: ChatMessage[] };
    const { stream } = streamText({
      model: modelGateway(process.env["CHAT_MODEL"] ?? "local-chat"),
      messages: await convertToModelMessages(messages),
      tools,
      stopWhen: isStepCount(4),
      abortSignal: signal,
    });
    // With its id, a page that reads the answer again knows which message it is.
    return toUIMessageStream({ stream, originalMessages: messages, generateMessageId: generateId });
  },
});
