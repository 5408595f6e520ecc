import { ModelGateway } from "@model-gateway/core";
import type { ClientFactory } from "../bench-client.js";

export const core: ClientFactory = (baseURL) => {
  const gateway = new ModelGateway({ apiKey: "sk-bench", baseURL });
  const messages = (content: string) => [{ role: "user" as const, content }];
  return {
    chat: (prompt) => gateway.chat.completions.create({ model: "m", messages: messages(prompt) }),
    embed: (input) => gateway.embeddings.create({ model: "m", input }),
    async stream(prompt) {
      let length = 0;
      const stream = await gateway.chat.completions.create({
        model: "m",
        messages: messages(prompt),
        stream: true,
      });
      for await (const { choices } of stream) length += choices[0]?.delta.content?.length ?? 0;
      return length;
    },
  };
};
