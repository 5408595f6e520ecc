import { type GatewayImage, ModelGateway } from "@model-gateway/core";
import type { ClientFactory } from "../bench-client.js";

export const core: ClientFactory = (baseURL) => {
  const gateway = new ModelGateway({ apiKey: "sk-bench", baseURL });
  const messages = (content: string) => [{ role: "user" as const, content }];
  return {
    chat: (prompt) => gateway.chat.completions.create({ model: "m", messages: messages(prompt) }),
    embed: (input, encoding) =>
      gateway.embeddings.create({
        model: "m",
        input,
        ...(encoding === "base64" && { encoding_format: encoding }),
      }),
    async image(prompt) {
      const { images } = await gateway.images.generate({ model: "m", prompt });
      return (images[0] as GatewayImage).bytes();
    },
    speech: async (input) => (await gateway.audio.speech.create({ model: "m", input })).bytes(),
    upload: (data) =>
      gateway.images.edit({ model: "m", prompt: "small", images: [{ data, mediaType: "image/png" }] }),
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
