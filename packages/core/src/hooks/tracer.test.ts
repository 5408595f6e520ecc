import { describe, expect, it } from "vitest";
import { errorOf, gatewayFor } from "../../test/gateways.js";
import { chunk, completion, sendEvents, sendJSON, startServer } from "../../test/scripted-server.js";
import { type CallEnd, type CallSpan, ConfigurationError, type GatewayTracer } from "../index.js";

const CHAT = { model: "m", messages: [{ role: "user" as const, content: "x" }] };

async function chatServer() {
  return startServer(({ json }, response, count) => {
    if (count === 1) return sendJSON(response, {}, 503, { "retry-after-ms": "0" });
    if ((json as { stream?: boolean }).stream !== true) return sendJSON(response, completion("ok"));
    sendEvents(response, [chunk("o"), chunk("k", "stop")]);
    response.end("data: [DONE]\n\n");
    return undefined;
  });
}

function fail(): never {
  throw Object.create(null);
}

const SPAN: CallSpan = { run: (work) => work(), end: () => {} };
const BROKEN: Array<[where: string, tracer: GatewayTracer]> = [
  ["startCall", { startCall: fail }],
  ["run", { startCall: () => ({ ...SPAN, run: fail }) }],
  [
    "run, after the work has begun",
    {
      startCall: () => ({
        ...SPAN,
        run(work) {
          work();
          return fail();
        },
      }),
    },
  ],
  ["run, which never runs", { startCall: () => ({ ...SPAN, run: () => undefined as never }) }],
  ["onRetry", { startCall: () => ({ ...SPAN, onRetry: fail }) }],
  ["end", { startCall: () => ({ ...SPAN, end: fail }) }],
  [
    "context",
    {
      startCall: () => ({
        ...SPAN,
        get context() {
          return fail();
        },
      }),
    },
  ],
];

describe("a tracer", () => {
  it.each(BROKEN)(
    "that is broken in %s disturbs no call, sends it once, and is reported once at most",
    async (_where, tracer) => {
      const server = await chatServer();
      const warnings: string[] = [];
      const logger = { debug() {}, info() {}, warn: (text: string) => warnings.push(text), error() {} };
      const gateway = gatewayFor(server.url, { tracer, logger });
      expect((await gateway.chat.completions.create(CHAT)).choices[0]?.message.content).toBe("ok");
      const stream = await gateway.chat.completions.create({ ...CHAT, stream: true });
      expect((await stream.finalCompletion()).choices[0]?.message.content).toBe("ok");
      expect(server.requests).toHaveLength(3);
      expect(warnings.filter((text) => text.includes("the tracer failed")).length).toBeLessThanOrEqual(1);
    },
  );

  it("is told of each call once: how it began and how it ended", async () => {
    const server = await chatServer();
    const told: Array<[string, unknown]> = [];
    const tracer: GatewayTracer = {
      startCall(call) {
        told.push(["start", call]);
        return {
          run: (work) => work(),
          onRetry: (event) => told.push(["retry", event]),
          end: (end: CallEnd) => told.push(["end", end]),
        };
      },
    };
    const gateway = gatewayFor(server.url, { tracer });
    const answer = await gateway.chat.completions.create(CHAT);
    const stream = await gateway.chat.completions.create({ ...CHAT, stream: true });
    const streamed = await stream.finalCompletion();
    const start = { call: "chat.completions.create", method: "POST", path: "/chat/completions", model: "m" };
    const { origin } = server;
    expect(told).toEqual([
      ["start", { ...start, origin, body: CHAT }],
      ["retry", { reason: "answered 503", delayMs: expect.any(Number) }],
      ["end", { attempts: 2, status: 200, result: answer }],
      ["start", { ...start, origin, body: expect.objectContaining({ stream: true }) }],
      ["end", { attempts: 1, status: 200, outcome: "complete", result: streamed }],
    ]);
  });

  it("may leave a call out", async () => {
    const server = await chatServer();
    const gateway = gatewayFor(server.url, { tracer: { startCall: () => undefined } });
    expect((await gateway.chat.completions.create(CHAT)).choices).toHaveLength(1);
  });

  it("must be one", async () => {
    const tracer = {} as GatewayTracer;
    const error = await errorOf(
      Promise.resolve().then(() => gatewayFor("https://gateway.example/v1", { tracer })),
    );
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ message: expect.stringContaining("startCall") });
  });
});
