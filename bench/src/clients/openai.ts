import OpenAI from "openai";
import type { ClientFactory } from "../bench-client.js";

export const openai: ClientFactory = (baseURL) => {
  const client = new OpenAI({ apiKey: "sk-bench", baseURL });
  const messages = (content: string) => [{ role: "user" as const, content }];
  return {
    chat: (prompt) => client.chat.completions.create({ model: "m", messages: messages(prompt) }),
    embed: (input) => client.embeddings.create({ model: "m", input, encoding_format: "float" }),
    async stream(prompt) {
      let length = 0;
      const stream = await client.chat.completions.create({
        model: "m",
        messages: messages(prompt),
        stream: true,
      });
      for await (const { choices } of stream) length += choices[0]?.delta.content?.length ?? 0;
      return length;
    },
  };
};
