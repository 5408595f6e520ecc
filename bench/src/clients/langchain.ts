import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { ChatOpenAI } from "@langchain/openai";
import { ChatModelGateway } from "@model-gateway/langchain";
import type { BenchClient, ClientFactory } from "../bench-client.js";

function clientOf(model: BaseChatModel): BenchClient {
  return {
    chat: (prompt) => model.invoke(prompt),
    async stream(prompt) {
      let length = 0;
      for await (const { content } of await model.stream(prompt)) length += String(content).length;
      return length;
    },
  };
}

export const langchain: ClientFactory = (baseURL) =>
  clientOf(new ChatModelGateway({ model: "m", apiKey: "sk-bench", baseURL }));

export const langchainOpenAI: ClientFactory = (baseURL) =>
  clientOf(
    new ChatOpenAI({
      model: "m",
      apiKey: "sk-bench",
      configuration: { baseURL },
    }) as unknown as BaseChatModel,
  );
