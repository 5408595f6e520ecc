import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { EdgeVM } from "@edge-runtime/vm";
import { createEmulator, type Emulator } from "@model-gateway/emulator";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser } from "./browser.js";
import { ROOT } from "./wire-ledger.js";

/** What every runtime does with the client: a call, a stream, embeddings, an error, and a look at what is printed. */
const PROGRAM = `
  const gateway = new ModelGateway({ apiKey: "sk-emulator", baseURL, dangerouslyAllowBrowser: true });
  const messages = [{ role: "user", content: "What is 6 times 7?" }];
  const { choices } = await gateway.chat.completions.create({ model: "local-chat", messages });
  let streamed = "";
  for await (const chunk of await gateway.chat.completions.create({ model: "local-chat", messages, stream: true })) {
    streamed += chunk.choices[0]?.delta.content ?? "";
  }
  const { data } = await gateway.embeddings.create({ model: "local-embedding", input: ["a", "b"] });
  const error = await gateway.models.list({ headers: {}, route: "general" }).then(() => undefined, (thrown) => thrown.name);
  const missing = await gateway.chat.completions.create({ model: "nobody", messages }).catch((thrown) => thrown.name);
  return { whole: choices[0].message.content, streamed, vectors: data.length, error, missing, printed: JSON.stringify(gateway) };
`;

let emulator: Emulator;
let bundle: string;

beforeAll(async () => {
  emulator = await createEmulator({ seed: 1 }).listen({ port: 0 });
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, "packages/core/src/index.ts")],
    bundle: true,
    platform: "browser",
    format: "iife",
    globalName: "core",
    write: false,
  });
  bundle = outputFiles[0]?.text ?? "";
});

afterAll(() => emulator.close());

function expectAnswers(result: unknown, baseURL: string): void {
  expect(result).toMatchObject({
    vectors: 2,
    missing: "NotFoundError",
    printed: JSON.stringify({ baseURL }),
  });
  const { whole, streamed, error } = result as { whole: string; streamed: string; error?: string };
  expect(error).toBeUndefined();
  expect(whole).toContain("42");
  expect(streamed).toBe(whole);
}

/** The provider below the SDK: an answer, a stream with a tool loop, and an error. */
const SDK_PROGRAM = `
  const modelGateway = createModelGateway({ apiKey: "sk-emulator", baseURL });
  const { text, usage } = await generateText({ model: modelGateway("local-chat"), prompt: "What is 6 times 7?" });
  const tools = {
    weather: tool({
      description: "Get the weather in a city",
      inputSchema: jsonSchema({ type: "object", properties: { city: { type: "string" } }, required: ["city"] }),
      execute: async ({ city }) => ({ city, temperature: 21 }),
    }),
  };
  const stopWhen = isStepCount(3);
  const result = streamText({ model: modelGateway("local-chat"), tools, stopWhen, prompt: "What is the weather in Paris?" });
  let streamed = "";
  for await (const delta of result.textStream) streamed += delta;
  const steps = (await result.steps).length;
  const failing = generateText({ model: modelGateway("nobody"), prompt: "hi" });
  const failed = await failing.catch((error) => ({ name: error.name, status: error.statusCode }));
  return { text, tokens: usage.totalTokens, streamed, steps, failed };
`;

describe("the provider for the AI SDK runs", () => {
  it("in an edge runtime, with the SDK itself", async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `export { createModelGateway } from "@model-gateway/ai-sdk-provider";
          export { generateText, isStepCount, jsonSchema, streamText, tool } from "ai";`,
        resolveDir: join(ROOT, "packages/conformance"),
      },
      bundle: true,
      platform: "browser",
      // What bundlers for edge runtimes choose by.
      conditions: ["edge-light", "worker", "browser"],
      format: "iife",
      globalName: "sdk",
      write: false,
    });
    const vm = new EdgeVM();
    vm.context.fetch = fetch as typeof vm.context.fetch;
    vm.evaluate(outputFiles[0]?.text ?? "");
    const run = vm.evaluate(
      `(async (baseURL) => { const { createModelGateway, generateText, isStepCount, jsonSchema, streamText, tool } = sdk; ${SDK_PROGRAM} })`,
    ) as (baseURL: string) => Promise<Record<string, unknown>>;
    const result = await run(emulator.url);
    expect(result).toMatchObject({ steps: 2, failed: { name: "AI_APICallError", status: 404 } });
    expect(result["text"]).toContain("42");
    expect(result["streamed"]).toContain("21");
    expect(result["tokens"]).toBeGreaterThan(0);
  });
});

describe("the client runs", () => {
  it("in an edge runtime", async () => {
    const vm = new EdgeVM();
    // The runtime has no network of its own.
    vm.context.fetch = fetch as typeof vm.context.fetch;
    vm.evaluate(bundle);
    const run = vm.evaluate(`(async (baseURL) => { const { ModelGateway } = core; ${PROGRAM} })`) as (
      baseURL: string,
    ) => Promise<unknown>;
    expectAnswers(await run(emulator.url), emulator.url);
  });

  it("in a browser", async () => {
    // Page and gateway share an origin: a gateway has no reason to let foreign pages in.
    const server = createServer(async (request, response) => {
      if (request.url === "/") {
        response.setHeader("content-type", "text/html").end("<!doctype html><title>client</title>");
        return;
      }
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const answer = await emulator.fetch(
        new Request(new URL(request.url ?? "", emulator.url), {
          method: request.method,
          headers: {
            authorization: String(request.headers.authorization),
            "content-type": "application/json",
          },
          body: chunks.length > 0 ? Buffer.concat(chunks) : undefined,
        }),
      );
      response
        .writeHead(answer.status, Object.fromEntries(answer.headers))
        .end(Buffer.from(await answer.arrayBuffer()));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(origin);
      await page.addScriptTag({ content: bundle });
      const result = await page.evaluate(
        `(async (baseURL) => { const { ModelGateway } = core; ${PROGRAM} })("${origin}/v1")`,
      );
      expectAnswers(result, `${origin}/v1`);
      const refused = await page.evaluate(
        `(() => { try { new core.ModelGateway({ apiKey: "sk-x", baseURL: "${origin}/v1" }); } catch (error) { return error.message; } })()`,
      );
      expect(refused).toContain("dangerouslyAllowBrowser");
    } finally {
      await browser.close();
      server.close();
    }
  });
});
