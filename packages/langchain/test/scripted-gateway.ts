import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One answer of the scripted gateway. */
export type ScriptedReply =
  | { status?: number; headers?: Record<string, string>; json: unknown }
  /** Server-sent events; `end` says how the stream ends: with the marker (default), without, or torn off. */
  | { events: readonly unknown[]; headers?: Record<string, string>; end?: "marker" | "close" | "destroy" }
  /** Never answers. */
  | { silent: true };

export interface ReceivedRequest {
  path: string;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
}

/** A server that gives the answers a test writes down, for what no well-behaved gateway would send. */
export interface ScriptedGateway {
  url: string;
  /** Settings that lead a model or embeddings to this server. */
  connection: { apiKey: string; baseURL: string };
  received: ReceivedRequest[];
  /** Body of the last request. */
  readonly lastBody: Record<string, unknown>;
  /** Queues answers; the last one is repeated. */
  script(...replies: ScriptedReply[]): void;
  /** Resolves when the next request has arrived whole. */
  nextRequest(): Promise<void>;
  /** Resolves when a request's connection was closed before its answer ended. */
  disconnected(): Promise<void>;
  close(): Promise<void>;
}

export async function startScriptedGateway(): Promise<ScriptedGateway> {
  let replies: ScriptedReply[] = [];
  const received: ReceivedRequest[] = [];
  let disconnects = 0;
  let onDisconnect = () => {};
  let onRequest = () => {};
  const server = createServer(async (incoming, outgoing) => {
    outgoing.on("close", () => {
      if (outgoing.writableEnded) return;
      disconnects++;
      onDisconnect();
    });
    received.push({
      path: incoming.url ?? "",
      headers: incoming.headers,
      body: JSON.parse((await readText(incoming)) || "{}"),
    });
    onRequest();
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    if (reply === undefined) throw new Error("The test scripted no answer.");
    send(reply, outgoing);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    url,
    connection: { apiKey: "sk-scripted-secret", baseURL: url },
    received,
    get lastBody() {
      const last = received.at(-1);
      if (last === undefined) throw new Error("No request was received.");
      return last.body;
    },
    script(...next) {
      replies = next;
    },
    nextRequest: () =>
      new Promise<void>((resolve) => {
        onRequest = resolve;
      }),
    async disconnected() {
      if (disconnects === 0) {
        await new Promise<void>((resolve) => {
          onDisconnect = resolve;
        });
      }
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function readText(incoming: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of incoming) text += String(chunk);
  return text;
}

function send(reply: ScriptedReply, outgoing: ServerResponse): void {
  if ("silent" in reply) return;
  if ("json" in reply) {
    outgoing.writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers });
    outgoing.end(JSON.stringify(reply.json));
    return;
  }
  outgoing.writeHead(200, { "content-type": "text/event-stream", ...reply.headers });
  for (const event of reply.events) outgoing.write(`data: ${JSON.stringify(event)}\n\n`);
  if (reply.end === "destroy") outgoing.write(": torn off\n\n", () => outgoing.destroy());
  else outgoing.end(reply.end === "close" ? undefined : "data: [DONE]\n\n");
}

/** A chat completion around a message. */
export function completion(
  message: Record<string, unknown>,
  fields: Record<string, unknown> = {},
): ScriptedReply {
  const { finish_reason: finishReason = "stop", ...others } = fields;
  return {
    json: {
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: "served-model",
      choices: [
        { index: 0, message: { role: "assistant", content: "", ...message }, finish_reason: finishReason },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
      ...others,
    },
  };
}

/** One event of a stream. */
export function event(delta: Record<string, unknown>, fields: Record<string, unknown> = {}) {
  const { finish_reason: finishReason = null, ...others } = fields;
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "served-model",
    choices: [{ index: 0, delta, finish_reason: finishReason }],
    ...others,
  };
}

/** The last two events of a well-behaved stream: the finish reason, then usage without choices. */
export function ending(finishReason = "stop") {
  return [
    event({}, { finish_reason: finishReason }),
    { ...event({}), choices: [], usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 } },
  ];
}
