import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayError, type ModelGateway } from "../src/index.js";
import { gatewayFor } from "./gateways.js";

// Whatever a route sends, a call ends: with a result, or with an error of this package. Nothing hangs, crashes, or
// is left rejected without a handler.

const RUNS = Number(process.env["FUZZ_RUNS"] ?? 150);

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

const FIELDS = [
  "error",
  "message",
  "code",
  "type",
  "data",
  "choices",
  "delta",
  "content",
  "tool_calls",
  "function",
  "name",
  "arguments",
  "index",
  "id",
  "task_id",
  "task_status",
  "status",
  "output",
  "video_url",
  "task_result",
  "videos",
  "url",
  "metadata",
  "progress",
  "usage",
  "embedding",
  "finish_reason",
  "b64_json",
  "image_index",
  "fail_reason",
  "detail",
  "success",
  "object",
];
const WORDS = [
  "",
  "succeed",
  "failed",
  "SUCCESS",
  "50%",
  "https://x.example/1.mp4",
  "image_generation.completed",
  "error",
  "0",
  "[DONE]",
  "\u0000",
  "🎬",
];

/** JSON in which the fields of the API turn up in the wrong places with the wrong types. */
const { wild } = fc.letrec((tie) => ({
  wild: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, 1, -1, 429, 1e300, ...WORDS),
    fc.string({ maxLength: 8 }),
    fc.array(tie("wild"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...FIELDS), tie("wild"), { maxKeys: 6 }),
  ),
}));
const body = fc.oneof(
  wild.map((value) => JSON.stringify(value)),
  fc.string({ maxLength: 60 }),
  fc.constantFrom("<html>", "{", "null", ""),
);
const status = fc.constantFrom(200, 201, 204, 302, 400, 401, 403, 404, 408, 422, 429, 500, 502, 503, 599);
const headers = fc.record(
  {
    "content-type": fc.constantFrom("application/json", "text/event-stream", "text/html", "", "video/mp4"),
    "retry-after": fc.constantFrom("0", "soon", "-1", "99999999", "Thu, 01 Jan 1970 00:00:00 GMT"),
    location: fc.constantFrom("/", "http://127.0.0.1/", "::", "https://x.example"),
  },
  { requiredKeys: [] },
);

const CHAT = { model: "m", messages: [{ role: "user" as const, content: "x" }] };
const CALLS: Record<string, (gateway: ModelGateway) => PromiseLike<unknown>> = {
  chat: (gateway) => gateway.chat.completions.create(CHAT),
  "chat stream": async (gateway) =>
    (await gateway.chat.completions.create({ ...CHAT, stream: true })).finalCompletion(),
  embeddings: (gateway) => gateway.embeddings.create({ model: "m", input: ["a", "b"] }),
  models: (gateway) => gateway.models.list(),
  "video create": (gateway) => gateway.videos.create({ model: "m", content: [{ type: "text", text: "x" }] }),
  "video retrieve": (gateway) => gateway.videos.retrieve({ v: 1, family: "content", id: "t" }),
  images: (gateway) => gateway.images.generate({ prompt: "x" }),
  "image stream": async (gateway) => {
    for await (const _event of await gateway.images.stream({ prompt: "x" }));
  },
  "image chat": (gateway) => gateway.images.generateThroughChat({ model: "m", prompt: "x" }),
  "image edit": (gateway) => gateway.images.edit({ prompt: "x", images: [Uint8Array.of(1)] }),
  speech: async (gateway) =>
    (await gateway.audio.speech.create({ model: "m", input: "x", voice: "v" })).bytes(),
  moderation: (gateway) => gateway.moderations.create({ model: "m", input: "x" }),
  classification: (gateway) => gateway.moderations.classify("x", { strategy: "auto", model: "m" }),
  balance: (gateway) => gateway.account.balance(),
  "any request": (gateway) => gateway.request({ method: "GET", path: "/anything" }),
  download: async (gateway) => (await gateway.download("https://gateway.example/f")).bytes(),
};

/** Cuts a body into pieces at any byte. */
function stream(
  body: string | Uint8Array,
  cuts: readonly number[],
  breaks: boolean,
): ReadableStream<Uint8Array> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const positions = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
    (left, right) => left - right,
  );
  return new ReadableStream({
    start(controller) {
      for (let index = 1; index < positions.length; index++)
        controller.enqueue(bytes.slice(positions[index - 1], positions[index]));
      if (breaks) controller.error(new TypeError("terminated"));
      else controller.close();
    },
  });
}

function gatewayAnswering(answer: () => Response): ModelGateway {
  return gatewayFor("https://gateway.example/v1", {
    endpoints: { specialized: "https://gateway.example/specialized/v1" },
    fetch: async () => answer(),
    maxRetries: 0,
    streamIdleTimeout: 500,
    timeout: 500,
  });
}

/** The call ends, and an error is one of ours. */
async function ends(call: PromiseLike<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    // Errors must be printable whatever they carry.
    expect(`${error.message}${JSON.stringify(error)}`).toBeTruthy();
  }
}

const COMPRESSIONS = [
  ["gzip", (bytes: Uint8Array) => gzipSync(bytes)],
  ["deflate", (bytes: Uint8Array) => deflateSync(bytes)],
  ["br", (bytes: Uint8Array) => brotliCompressSync(bytes)],
] as const;

const bodyless = (code: number) => code === 204 || code === 302;

describe.each(Object.entries(CALLS))("%s", (_name, call) => {
  it("ends with a result or an error of ours, whatever the answer", async () => {
    await fc.assert(
      fc.asyncProperty(
        body,
        status,
        headers,
        fc.array(fc.nat(), { maxLength: 3 }),
        fc.boolean(),
        async (text, code, head, cuts, breaks) => {
          const answer = () =>
            new Response(bodyless(code) ? null : stream(text, cuts, breaks), { status: code, headers: head });
          await ends(call(gatewayAnswering(answer)));
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("ends with a result or an error of ours, whatever the bytes", async () => {
    const start = fc.constantFrom(
      "",
      "data: ",
      "data: {",
      '{"data":[',
      "\ufeff",
      "<",
      "\r\n",
      "ID3",
      "[DONE]",
    );
    const bytes = fc
      .tuple(start, fc.uint8Array({ maxLength: 200 }))
      .map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part))));
    // Whole, cut off, or not compressed at all although the header says so.
    const compressed = fc
      .tuple(bytes, fc.constantFrom(...COMPRESSIONS), fc.nat())
      .map(([plain, [name, compress], cut]) => {
        const whole = compress(plain);
        return {
          bytes: whole.subarray(0, whole.length - (cut % 3 === 0 ? cut % whole.length : 0)),
          encoding: name,
        };
      });
    const answers = fc.oneof(
      bytes.map((plain) => ({ bytes: plain, encoding: "" })),
      compressed,
      bytes.map((plain) => ({ bytes: plain, encoding: "gzip" })),
    );
    await fc.assert(
      fc.asyncProperty(
        answers,
        status,
        headers,
        fc.array(fc.nat(), { maxLength: 3 }),
        fc.boolean(),
        async ({ bytes: sent, encoding }, code, head, cuts, breaks) => {
          const all = encoding === "" ? head : { ...head, "content-encoding": encoding };
          const answer = () =>
            new Response(bodyless(code) ? null : stream(sent, cuts, breaks), { status: code, headers: all });
          await ends(call(gatewayAnswering(answer)));
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("ends with a result or an error of ours, whatever the events", async () => {
    const events = fc.array(
      fc.oneof(
        body.map((text) => `data: ${text}\n\n`),
        fc.constantFrom(": ping\n\n", "data: [DONE]\n\n", "event: x\n", "\r\n"),
      ),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(
        events,
        fc.array(fc.nat(), { maxLength: 4 }),
        fc.boolean(),
        async (lines, cuts, breaks) => {
          const answer = () =>
            new Response(stream(lines.join(""), cuts, breaks), {
              headers: { "content-type": "text/event-stream" },
            });
          await ends(call(gatewayAnswering(answer)));
        },
      ),
      { numRuns: RUNS },
    );
  });
});
