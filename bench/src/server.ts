// The gateway of the bench, in a process of its own so that only the client's CPU time is counted.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  IMAGE_BYTES,
  PACED_CHUNKS,
  PACKED_CHUNKS,
  SPEECH_BYTES,
  VECTOR_LENGTH,
  VECTORS,
} from "./scenarios.js";

const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_760_000_000, model: "m" };
const event = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] })}\n\n`;
const tokens = Array.from({ length: 64 }, (_, index) => event({ content: ` token${index}` }));
const tail = `${event({}, "stop")}data: ${JSON.stringify({ ...head, choices: [], usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 } })}\n\ndata: [DONE]\n\n`;
const packed = Buffer.from(
  Array.from({ length: PACKED_CHUNKS }, (_, index) => tokens[index % 64]).join("") + tail,
);
const completion = Buffer.from(
  JSON.stringify({
    ...head,
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "Hello! How can I help you today?" },
        logprobs: null,
        finish_reason: "stop",
      },
    ],
    usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 },
  }),
);
const vectors = Array.from({ length: VECTORS }, (_, index) =>
  Array.from({ length: VECTOR_LENGTH }, (_value, position) => Math.sin(index * 31 + position) / 7),
);
const embeddingsOf = (write: (vector: number[]) => unknown) =>
  Buffer.from(
    JSON.stringify({
      object: "list",
      model: "m",
      data: vectors.map((vector, index) => ({ object: "embedding", index, embedding: write(vector) })),
      usage: { prompt_tokens: 64, total_tokens: 64 },
    }),
  );
const embeddings = embeddingsOf((vector) => vector);
const base64Embeddings = embeddingsOf((vector) =>
  Buffer.from(new Float32Array(vector).buffer).toString("base64"),
);
const imageOf = (bytes: number) =>
  Buffer.from(
    JSON.stringify({ created: 1, data: [{ b64_json: Buffer.alloc(bytes, 201).toString("base64") }] }),
  );
const image = imageOf(IMAGE_BYTES);
const smallImage = imageOf(1_024);
const speech = Buffer.alloc(SPEECH_BYTES, 255);

function wholeAnswer(path: string, body: string): Buffer | undefined {
  if (path.endsWith("/images/generations")) return image;
  if (path.endsWith("/audio/speech")) return speech;
  if (path.endsWith("/embeddings"))
    return body.includes('"encoding_format":"base64"') ? base64Embeddings : embeddings;
  return body.includes('"stream":true') ? undefined : completion;
}

const server = createServer((request, response) => {
  const answer = (bytes: Buffer, type = "application/json") =>
    response.writeHead(200, { "content-type": type, "content-length": bytes.length }).end(bytes);
  if (request.method === "GET" && request.url?.includes("/videos/")) {
    answer(Buffer.from(JSON.stringify({ id: request.url.split("/").at(-1), model: "m", status: "running" })));
    return;
  }
  if (request.url?.endsWith("/images/edits")) {
    request.resume().on("end", () => answer(smallImage));
    return;
  }
  let body = "";
  request.setEncoding("utf8").on("data", (part) => {
    body += part;
  });
  request.on("end", () => {
    const whole = wholeAnswer(request.url ?? "", body);
    if (whole !== undefined) {
      answer(whole, whole === speech ? "audio/mpeg" : undefined);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (!body.includes("paced")) {
      response.end(packed);
      return;
    }
    let sent = 0;
    const next = () => {
      if (sent === PACED_CHUNKS) response.end(tail);
      else response.write(tokens[sent++ % 64], () => setImmediate(next));
    };
    next();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
