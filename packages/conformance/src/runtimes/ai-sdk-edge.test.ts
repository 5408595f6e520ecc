import { fileURLToPath } from "node:url";
import {
  dataEvent,
  END_MARKER,
  HEAD,
  type ScenarioServer,
  startScenarioServer,
} from "@model-gateway/scenario-server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { RUNTIMES } from "./run-in-runtime.js";

// Next's edge runtime has a `process` whose functions throw when they are called, `emitWarning` among them. The SDK
// prints warnings with it, after the call has been made and paid.
const PROCESS = `globalThis.process = { env: {}, emitWarning() { throw new Error("not supported in the Edge Runtime") } };`;

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let server: ScenarioServer;

beforeAll(async () => {
  server = await startScenarioServer();
});

beforeEach(() => {
  server.answer((_request, response) => {
    response.writeHead(200, { "content-type": "audio/wav" }).end(Uint8Array.of(1));
  }, "/v1/audio/speech");
  server.answer((_request, response) => {
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ data: [{ error: { message: "refused" } }, { b64_json: PNG }] }));
  }, "/v1/images/generations");
  server.answer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ id: "t" }));
  }, "/v1/videos");
});

afterAll(() => server.close());

/** Runs a program with the SDK in an edge runtime of its own; an error is told by its message. */
async function inEdge(program: string): Promise<unknown> {
  const run = RUNTIMES["edge-runtime"] as (typeof RUNTIMES)[string];
  const code = `
    ${PROCESS}
    const { createModelGateway, generateImage, generateSpeech, startVideo, streamText } = core;
    const modelGateway = createModelGateway({ apiKey: "sk-test", baseURL: config.baseURL });
    try { ${program} } catch (error) { return { error: error.message }; }
  `;
  const entry = fileURLToPath(new URL("./ai-sdk-exports.ts", import.meta.url));
  return run({ code, entry, config: { baseURL: server.url } });
}

const SPEECH = `const { audio } = await generateSpeech({
  model: modelGateway.speech("m"), text: "x", voice: "alloy", outputFormat: "wav", speed: 2 });`;

describe("in the edge runtime, where the SDK cannot print a warning,", () => {
  it("paid calls with options that are sent come through, and so does a set that lacks an image", async () => {
    const counts = await inEdge(`
      const { audio } = await generateSpeech({ model: modelGateway.speech("m"), text: "x", voice: "alloy", outputFormat: "wav" });
      const { images } = await generateImage({
        model: modelGateway.image("m", { shape: "base64" }), prompt: "x", size: "1024x1024", n: 2,
        providerOptions: { modelGateway: { quality: "low", outputFormat: "png" } } });
      const { operation } = await startVideo({ model: modelGateway.video("m"), prompt: "x", duration: 5, resolution: "1280x720" });
      return [audio.uint8Array.length, images.length, operation.handle.id];
    `);
    expect(counts).toEqual([1, 1, "t"]);
  });

  it("a warning ends a call that was paid, unless the SDK's log is off", async () => {
    const failed = await inEdge(`${SPEECH} return audio.uint8Array.length;`);
    expect(failed).toEqual({ error: "not supported in the Edge Runtime" });
    const off = `globalThis.AI_SDK_LOG_WARNINGS = false;`;
    expect(await inEdge(`${off} ${SPEECH} return audio.uint8Array.length;`)).toBe(1);
  });

  it("streams whose events arrive one by one come to their end", async () => {
    const delta = (fields: object, finish: string | null = null) =>
      dataEvent({ ...HEAD, choices: [{ index: 0, delta: fields, finish_reason: finish }] });
    server.replay({
      pace: "events",
      path: "/v1/chat/completions",
      events: [
        delta({ content: "" }),
        delta({ content: "All " }),
        delta({}),
        delta({ content: "of it." }),
        delta({}, "stop"),
        dataEvent({ ...HEAD, choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }),
        END_MARKER,
      ],
    });
    const answer = await inEdge(`
      const result = streamText({ model: modelGateway("m"), prompt: "x" });
      return [await result.text, await result.finishReason];
    `);
    expect(answer).toEqual(["All of it.", "stop"]);
  });
});
