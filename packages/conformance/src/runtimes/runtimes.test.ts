import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { createEmulator, type Emulator } from "@model-gateway/emulator";
import { afterAll, beforeAll, expect, it } from "vitest";
import { RUNTIMES } from "./run-in-runtime.js";

/** What every runtime does with the client: a call, a stream, embeddings, an error, and a look at what is printed. */
const PROGRAM = `
  const { baseURL } = config;
  const options = { apiKey: "sk-emulator", baseURL };
  const gateway = new core.ModelGateway({ ...options, dangerouslyAllowBrowser: true });
  const messages = [{ role: "user", content: "What is 6 times 7?" }];
  const { choices } = await gateway.chat.completions.create({ model: "local-chat", messages });
  let streamed = "";
  for await (const chunk of await gateway.chat.completions.create({ model: "local-chat", messages, stream: true })) {
    streamed += chunk.choices[0]?.delta.content ?? "";
  }
  const { data } = await gateway.embeddings.create({ model: "local-embedding", input: ["a", "b"] });
  const missing = await gateway.chat.completions.create({ model: "nobody", messages }).catch((thrown) => thrown.name);
  const leaving = new AbortController();
  const slow = [{ role: "user", content: "[[slow:60s]] hi" }];
  const left = gateway.chat.completions.create({ model: "local-chat", messages: slow }, { signal: leaving.signal });
  leaving.abort();
  const aborted = await left.catch((thrown) => thrown.name);
  let refused = "";
  try { new core.ModelGateway(options); } catch (error) { refused = error.message; }
  return { whole: choices[0].message.content, streamed, vectors: data.length, missing, aborted, refused, printed: JSON.stringify(gateway) };
`;

let emulator: Emulator;
let front: Server;
let baseURL: string;

beforeAll(async () => {
  emulator = createEmulator({ seed: 1 });
  // A gateway has no reason to let foreign pages in; the page of this test is one.
  front = createServer(async (request, response) => {
    const cors = {
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "*, authorization",
    };
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method === "OPTIONS") return void response.writeHead(204, cors).end();
    const answer = await emulator.fetch(
      new Request(new URL(request.url ?? "", baseURL), {
        method: request.method,
        headers: {
          authorization: String(request.headers.authorization),
          "content-type": "application/json",
        },
        body: chunks.length > 0 ? Buffer.concat(chunks) : undefined,
      }),
    );
    response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), ...cors });
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  baseURL = `http://127.0.0.1:${(front.address() as AddressInfo).port}/v1`;
});

afterAll(async () => {
  front.close();
  front.closeAllConnections();
  await emulator.close();
});

it.each(Object.entries(RUNTIMES))("the client runs in %s", async (name, run) => {
  const result = (await run({ code: PROGRAM, config: { baseURL } })) as Record<string, string>;
  expect(result).toMatchObject({
    vectors: 2,
    missing: "NotFoundError",
    aborted: "APIUserAbortError",
    printed: JSON.stringify({ baseURL }),
  });
  expect(result["whole"]).toContain("42");
  expect(result["streamed"]).toBe(result["whole"]);
  // A key has no business in a page, unless somebody insists.
  if (name === "Chromium") expect(result["refused"]).toContain("dangerouslyAllowBrowser");
  else expect(result["refused"]).toBe("");
});

it("the provider for the AI SDK runs in an edge runtime, with the SDK itself", async () => {
  const run = RUNTIMES["edge-runtime"] as (typeof RUNTIMES)[string];
  const entry = fileURLToPath(new URL("./sdk-program.ts", import.meta.url));
  const result = (await run({
    code: "return core.runSDKProgram(config.baseURL);",
    entry,
    config: { baseURL },
  })) as Record<string, unknown>;
  expect(result).toMatchObject({ steps: 2, failed: { name: "AI_APICallError", status: 404 } });
  expect(result["text"]).toContain("42");
  expect(result["streamed"]).toContain("21");
  expect(result["tokens"]).toBeGreaterThan(0);
});
