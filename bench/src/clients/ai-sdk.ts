import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createModelGateway } from "@model-gateway/ai-sdk-provider";
import { type LanguageModel, streamText } from "ai";
import type { BenchClient, ClientFactory } from "../bench-client.js";

interface Model {
  doGenerate(options: { prompt: Prompt }): PromiseLike<unknown>;
  doStream(options: {
    prompt: Prompt;
  }): PromiseLike<{ stream: ReadableStream<{ type: string; delta?: string }> }>;
}
type Prompt = Array<{ role: "user"; content: Array<{ type: "text"; text: string }> }>;

function clientOf(model: Model): BenchClient {
  const prompt = (text: string): Prompt => [{ role: "user", content: [{ type: "text", text }] }];
  return {
    chat: async (text) => model.doGenerate({ prompt: prompt(text) }),
    async stream(text) {
      let length = 0;
      const { stream } = await model.doStream({ prompt: prompt(text) });
      const reader = stream.getReader();
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        if (next.value.type === "text-delta") length += next.value.delta?.length ?? 0;
      }
      return length;
    },
    async streamText(text) {
      let length = 0;
      for await (const delta of streamText({ model: model as unknown as LanguageModel, prompt: text })
        .textStream)
        length += delta.length;
      return length;
    },
  };
}

export const aiSdkProvider: ClientFactory = (baseURL) =>
  clientOf(createModelGateway({ apiKey: "sk-bench", baseURL })("m") as unknown as Model);

export const openaiCompatible: ClientFactory = (baseURL) =>
  clientOf(createOpenAICompatible({ name: "bench", apiKey: "sk-bench", baseURL })("m") as unknown as Model);
