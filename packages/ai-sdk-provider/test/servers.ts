import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createEmulator, type Emulator } from "@model-gateway/emulator";
import { onTestFinished } from "vitest";
import {
  createModelGateway,
  type ModelGatewayProvider,
  type ModelGatewayProviderSettings,
} from "../src/index.js";

/** A provider on an emulator of its own, ended with the test. */
export async function onEmulator(
  settings: ModelGatewayProviderSettings = {},
): Promise<{ modelGateway: ModelGatewayProvider; emulator: Emulator }> {
  const emulator = await createEmulator({ seed: 1 }).listen({ port: 0 });
  onTestFinished(() => emulator.close());
  return {
    emulator,
    modelGateway: createModelGateway({ apiKey: "sk-emulator", baseURL: emulator.url, ...settings }),
  };
}

export interface ScriptedRequest {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  /** Body as JSON; empty when it is something else. */
  json: Record<string, unknown>;
  /** Body as text. */
  text: string;
}

/** A provider on a server that answers as the test says: for what the emulator does not do wrong. */
export async function onScript(
  script: (response: ServerResponse, count: number, request: ScriptedRequest) => void,
  settings: ModelGatewayProviderSettings = {},
): Promise<{ modelGateway: ModelGatewayProvider; requests: ScriptedRequest[]; origin: string }> {
  const requests: ScriptedRequest[] = [];
  const server = createServer((message, response) => {
    let text = "";
    message.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
    message.on("end", () => {
      const request = {
        path: message.url ?? "",
        headers: message.headers,
        json: text.startsWith("{") ? JSON.parse(text) : {},
        text,
      };
      requests.push(request);
      script(response, requests.length, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    requests,
    origin,
    modelGateway: createModelGateway({ apiKey: "sk-test", baseURL: `${origin}/v1`, ...settings }),
  };
}

export function sendJSON(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** A streamed answer from deltas; `finish` undefined breaks the stream off. */
export function sendDeltas(
  response: ServerResponse,
  deltas: readonly object[],
  finish?: string,
  usage?: object,
) {
  const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_760_000_000, model: "m" };
  const write = (event: unknown) => response.write(`data: ${JSON.stringify(event)}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream", "x-request-id": "r-1" });
  for (const delta of deltas) write({ ...head, choices: [{ index: 0, delta, finish_reason: null }] });
  if (finish !== undefined) write({ ...head, choices: [{ index: 0, delta: {}, finish_reason: finish }] });
  if (usage !== undefined) write({ ...head, choices: [], usage });
  if (finish !== undefined) response.write("data: [DONE]\n\n");
  response.end();
}

export const COMPLETION = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_760_000_000,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
