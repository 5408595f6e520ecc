import OpenAI from "openai";
import type { ClientFactory } from "../bench-client.js";

export const openai: ClientFactory = (baseURL) => {
  const client = new OpenAI({ apiKey: "sk-bench", baseURL });
  const messages = (content: string) => [{ role: "user" as const, content }];
  return {
    chat: (prompt) => client.chat.completions.create({ model: "m", messages: messages(prompt) }),
    // In Base64 by itself, which it decodes.
    embed: (input, encoding) =>
      client.embeddings.create({
        model: "m",
        input,
        ...(encoding === "float" && { encoding_format: encoding }),
      }),
    async image(prompt) {
      const { data } = await client.images.generate({ model: "m", prompt });
      return Buffer.from(data?.[0]?.b64_json ?? "", "base64");
    },
    async speech(input) {
      const answer = await client.audio.speech.create({ model: "m", input, voice: "alloy" });
      return new Uint8Array(await answer.arrayBuffer());
    },
    upload: (file) =>
      client.images.edit({
        model: "m",
        prompt: "small",
        image: new File([file], "image.png", { type: "image/png" }),
      }),
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
