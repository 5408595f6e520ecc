import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { unusedOrigin } from "@model-gateway/scenario-server";
import { onTestFinished } from "vitest";

export interface RecordedRequest {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  /** Body as text. */
  text: string;
  /** Body as JSON, undefined when there is none. */
  json: unknown;
  socket: IncomingMessage["socket"];
}

export type Script = (request: RecordedRequest, response: ServerResponse, count: number) => void;

export interface ScriptedServer {
  /** Base address of a gateway: ends in `/v1`. */
  url: string;
  origin: string;
  requests: RecordedRequest[];
  /** Resolves when the given number of requests has arrived. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

/** A server that answers as the test says. Ends with the test. */
export async function startServer(script: Script): Promise<ScriptedServer> {
  const requests: RecordedRequest[] = [];
  const waiting: Array<{ count: number; resolve: () => void }> = [];
  const server: Server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const request: RecordedRequest = {
        method: message.method ?? "",
        path: message.url ?? "",
        headers: message.headers,
        text,
        json: parse(text),
        socket: message.socket,
      };
      requests.push(request);
      for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
      script(request, response, requests.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return {
    url: `${origin}/v1`,
    origin,
    requests,
    close,
    arrived: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
  };
}

/** A base address where nobody listens. */
export async function unusedAddress(): Promise<string> {
  return `${await unusedOrigin()}/v1`;
}

export function sendJSON(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

export function errorBody(message: string, code = "", type = "invalid_request_error"): unknown {
  return { error: { message, type, code } };
}

/** Writes events as the gateway does; `[DONE]` is up to the test. */
export function sendEvents(response: ServerResponse, events: readonly unknown[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events)
    response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
}

export function chunk(content: string, finishReason: string | null = null): unknown {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta: content === "" ? {} : { content }, finish_reason: finishReason }],
  };
}

export function completion(content: string): unknown {
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
