import type { ClientFactory } from "../bench-client.js";

/**
 * The hand-tuned lower bound: Node's own dispatcher, the least splitting that works on these very answers,
 * `JSON.parse`, and none of the care that a client needs.
 */
export const floor: ClientFactory = (baseURL) => {
  new Headers();
  const url = new URL(baseURL);
  const dispatcher = (globalThis as Record<symbol, unknown>)[Symbol.for("undici.globalDispatcher.1")] as {
    dispatch(options: object, handler: object): void;
  };
  const send = (path: string, body: string, onData: (chunk: Buffer) => void) =>
    new Promise<void>((resolve, reject) => {
      dispatcher.dispatch(
        {
          origin: url.origin,
          path: url.pathname + path,
          method: "POST",
          headers: { "content-type": "application/json" },
          body,
        },
        {
          onConnect() {},
          onHeaders: () => true,
          onData(chunk: Buffer) {
            onData(chunk);
            return true;
          },
          onComplete: () => resolve(),
          onError: reject,
        },
      );
    });
  const json = async (path: string, body: object) => {
    const chunks: Buffer[] = [];
    await send(path, JSON.stringify(body), (chunk) => chunks.push(chunk));
    return JSON.parse(Buffer.concat(chunks).toString());
  };
  return {
    chat: (prompt) =>
      json("/chat/completions", { model: "m", messages: [{ role: "user", content: prompt }] }),
    async embed(input, encoding) {
      const body = await json("/embeddings", { model: "m", input, encoding_format: encoding });
      if (encoding === "float") return body;
      return body.data.map(({ embedding }: { embedding: string }) => {
        const bytes = Buffer.from(embedding, "base64");
        return Array.from(new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4));
      });
    },
    async image(prompt) {
      const { data } = await json("/images/generations", { model: "m", prompt });
      return Buffer.from(data[0].b64_json, "base64");
    },
    async speech(input) {
      const chunks: Buffer[] = [];
      const body = JSON.stringify({ model: "m", input });
      await send("/audio/speech", body, (chunk) => chunks.push(chunk));
      return Buffer.concat(chunks);
    },
    async stream(prompt) {
      const decoder = new TextDecoder();
      let pending = "";
      let length = 0;
      const body = JSON.stringify({
        model: "m",
        messages: [{ role: "user", content: prompt }],
        stream: true,
      });
      await send("/chat/completions", body, (chunk) => {
        const lines = (pending + decoder.decode(chunk, { stream: true })).split("\n\n");
        pending = lines.pop() ?? "";
        for (const line of lines) {
          if (line !== "data: [DONE]")
            length += JSON.parse(line.slice(6)).choices[0]?.delta.content?.length ?? 0;
        }
      });
      return length;
    },
  };
};
