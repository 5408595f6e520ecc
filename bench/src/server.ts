// The gateway of the bench, in a process of its own so that only the client's CPU time is counted.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PACED_CHUNKS, PACKED_CHUNKS, VECTOR_LENGTH, VECTORS } from "./scenarios.js";

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
const embeddings = Buffer.from(
  JSON.stringify({
    object: "list",
    model: "m",
    data: Array.from({ length: VECTORS }, (_, index) => ({
      object: "embedding",
      index,
      embedding: Array.from(
        { length: VECTOR_LENGTH },
        (_value, position) => Math.sin(index * 31 + position) / 7,
      ),
    })),
    usage: { prompt_tokens: 64, total_tokens: 64 },
  }),
);

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (part) => {
    body += part;
  });
  request.on("end", () => {
    if (request.url?.endsWith("/embeddings")) {
      response
        .writeHead(200, { "content-type": "application/json", "content-length": embeddings.length })
        .end(embeddings);
      return;
    }
    if (!body.includes('"stream":true')) {
      response
        .writeHead(200, { "content-type": "application/json", "content-length": completion.length })
        .end(completion);
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
