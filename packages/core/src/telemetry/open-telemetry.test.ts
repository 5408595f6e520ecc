import { context, propagation, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { API_KEY, errorOf, gatewayFor, TRANSPORTS } from "../../test/gateways.js";
import {
  chunk,
  completion,
  errorBody,
  sendEvents,
  sendJSON,
  startServer,
  unusedAddress,
} from "../../test/scripted-server.js";
import { InvalidRequestError, type VideoTaskHandle } from "../index.js";
import { openTelemetry, withTrace } from "./open-telemetry.js";

const CHAT = { model: "m", messages: [{ role: "user" as const, content: "my secret prompt" }] };
const FINAL = { ...(chunk("", "stop") as object), usage: { prompt_tokens: 4, completion_tokens: 5 } };
const DONE = "data: [DONE]\n\n";

/** A tracer provider of the application; what it exported, in the order that it ended. */
function tracing(sampler?: Sampler): { spans(): ReadableSpan[]; tracer: Tracer } {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  const provider = new NodeTracerProvider({ spanProcessors, ...(sampler && { sampler }) });
  provider.register();
  onTestFinished(async () => {
    trace.disable();
    context.disable();
    propagation.disable();
    await provider.shutdown();
  });
  return { spans: () => exporter.getFinishedSpans(), tracer: provider.getTracer("application") };
}

/** All that is known of a span, as an exporter may write it. */
function printed(spans: readonly ReadableSpan[]): string {
  return JSON.stringify(
    spans.map(({ name, attributes, events, status, links }) => ({ name, attributes, events, status, links })),
  );
}

describe.each(TRANSPORTS)("the span of a call over %s", (_name, transport) => {
  const gateway = (url: string, options: object = {}) =>
    gatewayFor(url, { ...transport, tracer: openTelemetry(), ...options });

  it("says what was asked and answered, in the words of the conventions, without the texts", async () => {
    const { spans, tracer } = tracing();
    const server = await startServer((_request, response) =>
      sendJSON(response, completion("my secret answer"), 200, { "x-request-id": "r-1" }),
    );
    const body = { ...CHAT, temperature: 0.5, max_tokens: 7, n: 1, seed: 3 };
    await tracer.startActiveSpan("request", async (outer) => {
      await gateway(server.url).chat.completions.create(body);
      outer.end();
    });
    const [span, outer] = spans();
    expect(span).toMatchObject({
      name: "chat m",
      kind: SpanKind.CLIENT,
      status: { code: SpanStatusCode.UNSET },
    });
    expect(span?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId);
    expect(span?.attributes).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "model_gateway",
      "gen_ai.request.model": "m",
      "gen_ai.request.temperature": 0.5,
      "gen_ai.request.max_tokens": 7,
      "gen_ai.request.seed": 3,
      "gen_ai.response.id": expect.any(String),
      "gen_ai.response.model": expect.any(String),
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.usage.input_tokens": expect.any(Number),
      "gen_ai.usage.output_tokens": expect.any(Number),
      "http.request.method": "POST",
      "http.response.status_code": 200,
      "model_gateway.attempts": 1,
      "model_gateway.call": "chat.completions.create",
      "model_gateway.path": "/chat/completions",
      "model_gateway.request.id": "r-1",
      "server.address": "127.0.0.1",
      "server.port": Number(new URL(server.url).port),
    });
    expect(printed(spans())).not.toMatch(/my secret/);
    expect(printed(spans())).not.toContain(API_KEY);
  });

  it("lasts until its stream is over, and knows how it ended", async () => {
    const { spans } = tracing();
    const server = await startServer((_request, response, count) => {
      sendEvents(response, [chunk("a")]);
      if (count === 1) response.end(`data: ${JSON.stringify(FINAL)}\n\n${DONE}`);
      if (count === 2) response.end();
    });
    const open = () => gateway(server.url).chat.completions.create({ ...CHAT, stream: true });
    await (await open()).finalCompletion();
    await errorOf((await open()).finalCompletion());
    const left = await open();
    expect(spans()).toHaveLength(2);
    for await (const _chunk of left) break;
    const [whole, broken, third] = spans();
    expect(whole?.attributes).toMatchObject({
      "gen_ai.request.stream": true,
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.usage.input_tokens": 4,
      "gen_ai.usage.output_tokens": 5,
      "model_gateway.stream.outcome": "complete",
    });
    expect(broken?.attributes).toMatchObject({
      "error.type": "stream_interrupted",
      "model_gateway.stream.outcome": "interrupted",
    });
    expect(broken?.status).toEqual({ code: SpanStatusCode.ERROR, message: "stream_interrupted" });
    expect(third?.attributes["model_gateway.stream.outcome"]).toBe("left");
    expect(third?.status.code).toBe(SpanStatusCode.UNSET);
  });

  it("is one over all attempts, which are events in it", async () => {
    const { spans } = tracing();
    const server = await startServer((_request, response, count) =>
      count === 1
        ? sendJSON(response, errorBody("my secret prompt was too much"), 503, { "retry-after-ms": "1" })
        : sendJSON(response, completion("ok")),
    );
    await gateway(server.url).chat.completions.create(CHAT);
    const [span, ...others] = spans();
    expect(others).toEqual([]);
    expect(span?.events).toMatchObject([
      { name: "retry", attributes: { reason: "answered 503", "delay.ms": 1 } },
    ]);
    expect(span?.attributes["model_gateway.attempts"]).toBe(2);
  });

  it("tells of a failover", async () => {
    const { spans } = tracing();
    const cdn = await startServer((_request, response) => sendJSON(response, completion("ok")));
    const options = { route: "failover", endpoints: { cdn: cdn.url } };
    await gateway(await unusedAddress(), options).chat.completions.create(CHAT);
    expect(spans()[0]?.events).toMatchObject([{ name: "failover", attributes: { to: "cdn" } }]);
  });

  it("of a call that fails says why in a word, and quotes nobody", async () => {
    const { spans } = tracing();
    const server = await startServer((_request, response) =>
      sendJSON(response, errorBody("my secret prompt is not allowed"), 403, { "x-request-id": "r-2" }),
    );
    await errorOf(gateway(server.url).chat.completions.create(CHAT));
    const [span] = spans();
    expect(span?.status).toEqual({ code: SpanStatusCode.ERROR, message: "permission_denied" });
    expect(span?.attributes).toMatchObject({
      "error.type": "permission_denied",
      "http.response.status_code": 403,
      "model_gateway.request.id": "r-2",
    });
    expect(printed(spans())).not.toMatch(/my secret/);
  });

  it("of a paid call in doubt says so", async () => {
    const { spans } = tracing();
    const server = await startServer((_request, response) => void response.destroy());
    const body = { model: "m", prompt: "x" };
    await errorOf(gateway(server.url, { maxRetries: 0 }).images.generate(body));
    expect(spans()[0]).toMatchObject({
      name: "generate_content m",
      attributes: { "gen_ai.output.type": "image", "model_gateway.maybe_processed": true },
    });
  });

  it("of an answer that cannot be read is a failure", async () => {
    const { spans } = tracing();
    const server = await startServer((_request, response) => sendJSON(response, { tasks: [] }));
    await errorOf(gateway(server.url).videos.create({ model: "m", content: [{ type: "text", text: "x" }] }));
    expect(spans()[0]?.attributes["error.type"]).toBe("invalid_response");
  });

  it("of an answer that is not what was asked for is a failure, though it was one to the transport", async () => {
    const { spans } = tracing();
    const server = await startServer(({ path }, response) =>
      path.endsWith("/speech")
        ? sendJSON(response, errorBody("no such voice"), 200)
        : sendJSON(response, completion("whole")),
    );
    const client = gateway(server.url);
    await errorOf(client.audio.speech.create({ model: "m", input: "x", voice: "v" }));
    await errorOf(client.chat.completions.create({ ...CHAT, stream: true }));
    expect(spans().map(({ attributes }) => attributes["error.type"])).toEqual([
      "bad_request",
      "invalid_response",
    ]);
  });

  it("is there while its work is done", async () => {
    const { spans } = tracing();
    const server = await startServer((_request, response) => sendJSON(response, completion("ok")));
    let inside: string | undefined;
    const apiKey = () => {
      inside = trace.getActiveSpan()?.spanContext().spanId;
      return API_KEY;
    };
    await gateway(server.url, { apiKey }).chat.completions.create(CHAT);
    expect(inside).toBe(spans()[0]?.spanContext().spanId);
  });

  it("of a download lasts until the file is there", async () => {
    const { spans, tracer } = tracing();
    let finish = () => {};
    const server = await startServer(({ path }, response) => {
      if (path === "/from") response.writeHead(302, { location: "/file?signature=s" }).end("moved");
      else if (path === "/gone") response.writeHead(404).end();
      else {
        response.write("by");
        finish = () => response.end("tes");
      }
    });
    const client = gateway(server.url);
    const submit = tracer.startSpan("submit");
    const carrier = {};
    propagation.inject(trace.setSpan(context.active(), submit), carrier);
    const inside = openTelemetry().within?.(carrier as { traceparent: string }, () => trace.getActiveSpan());
    expect(inside?.spanContext().spanId).toBe(submit.spanContext().spanId);
    const file = await withTrace(carrier as { traceparent: string }, () => client.download("/from"));
    // The body of the redirect is over by now; the file is not.
    expect(spans()).toEqual([]);
    finish();
    await file.bytes();
    await errorOf(client.download("/gone"));
    const [found, gone] = spans();
    expect(found).toMatchObject({
      name: "download",
      attributes: { "http.response.status_code": 200, "model_gateway.stream.outcome": "complete" },
    });
    expect(found?.spanContext().traceId).toBe(submit.spanContext().traceId);
    expect(gone?.attributes["error.type"]).toBe("not_found");
    expect(printed(spans())).not.toContain("signature");
  });
});

describe("a video task", () => {
  const task = (status: string) => ({ id: "t-1", status, created_at: 1 });

  async function videoServer() {
    return startServer(({ method }, response, count) =>
      sendJSON(response, method === "POST" ? task("queued") : task(count > 3 ? "succeeded" : "running")),
    );
  }
  const BODY = { model: "m", content: [{ type: "text" as const, text: "my secret film" }] };

  it("keeps the trace of its submission, so that its polls belong there in any process", async () => {
    const { spans } = tracing();
    const server = await videoServer();
    const traced = () => gatewayFor(server.url, { tracer: openTelemetry() });
    const { handle } = await traced().videos.create(BODY);
    const stored = JSON.parse(JSON.stringify(handle)) as VideoTaskHandle;
    const elsewhere = traced();
    await elsewhere.videos.retrieve(stored);
    await elsewhere.videos.poll(stored);
    await elsewhere.videos.wait(stored, { intervalMs: 1 }).catch(() => undefined);
    const [create, ...polls] = spans();
    expect(create).toMatchObject({
      name: "generate_content m",
      attributes: { "gen_ai.output.type": "video", "model_gateway.video.task_id": "t-1" },
    });
    expect(polls.length).toBeGreaterThan(2);
    for (const poll of polls) {
      expect(poll.name).toBe("videos.retrieve");
      expect(poll.spanContext().traceId).toBe(create?.spanContext().traceId);
      expect(poll.parentSpanContext?.spanId).toBe(create?.spanContext().spanId);
    }
    expect(polls.at(-1)?.attributes["model_gateway.video.status"]).toBe("succeeded");
    expect(printed(spans())).not.toMatch(/my secret/);
  });

  it("is left out later where its submission was left out", async () => {
    const never: Sampler = { shouldSample: () => ({ decision: SamplingDecision.NOT_RECORD }) };
    const { spans } = tracing(new ParentBasedSampler({ root: never }));
    const server = await videoServer();
    const gateway = gatewayFor(server.url, { tracer: openTelemetry() });
    const { handle } = await gateway.videos.create(BODY);
    expect(handle.trace?.traceparent).toMatch(/-00$/);
    await gateway.videos.retrieve(handle);
    expect(spans()).toEqual([]);
  });

  it("keeps no trace where nobody traces", async () => {
    const server = await videoServer();
    for (const options of [{}, { tracer: openTelemetry() }]) {
      const { handle } = await gatewayFor(server.url, options).videos.create(BODY);
      expect(handle).not.toHaveProperty("trace");
    }
    expect(withTrace(undefined, () => trace.getActiveSpan())).toBeUndefined();
  });
});

describe("what is captured on demand", () => {
  it("are the messages of a chat, in the form of the conventions, without files", async () => {
    const { spans } = tracing();
    const call = { id: "c", type: "function", function: { name: "f", arguments: '{"x":1}' } };
    const message = { role: "assistant", content: null, reasoning_content: "hm", tool_calls: [call] };
    const answer = {
      ...(completion("") as object),
      choices: [{ index: 0, message, finish_reason: "tool_calls" }],
    };
    const server = await startServer((_request, response) => sendJSON(response, answer));
    const gateway = gatewayFor(server.url, { tracer: openTelemetry({ captureContent: true }) });
    const url = `data:image/png;base64,${"A".repeat(99)}`;
    await gateway.chat.completions.create({
      model: "m",
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "Look" },
            { type: "image_url", image_url: { url } },
          ],
        },
        { role: "tool", tool_call_id: "c", content: "x".repeat(20_000) },
      ],
    });
    const { attributes } = spans()[0] as ReadableSpan;
    expect(JSON.parse(String(attributes["gen_ai.input.messages"]))).toEqual([
      { role: "system", parts: [{ type: "text", content: "Be brief." }] },
      { role: "user", parts: [{ type: "text", content: "Look" }, { type: "image_url" }] },
      {
        role: "tool",
        parts: [{ type: "tool_call_response", id: "c", response: `${"x".repeat(16_384)}…` }],
      },
    ]);
    expect(JSON.parse(String(attributes["gen_ai.output.messages"]))).toEqual([
      {
        role: "assistant",
        parts: [
          { type: "reasoning", content: "hm" },
          { type: "tool_call", id: "c", name: "f", arguments: '{"x":1}' },
        ],
        finish_reason: "tool_calls",
      },
    ]);
  });
});

describe("what is never traced", () => {
  it("is a call that is refused before anything is sent", async () => {
    const { spans } = tracing();
    const gateway = gatewayFor("https://gateway.example/v1", { tracer: openTelemetry() });
    expect(await errorOf(gateway.chat.completions.create({ model: "m", messages: [] }))).toBeInstanceOf(
      InvalidRequestError,
    );
    expect(await errorOf(gateway.download("file:///etc/passwd"))).toBeInstanceOf(InvalidRequestError);
    expect(spans()).toEqual([]);
  });
});
