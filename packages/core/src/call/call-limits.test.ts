import { describe, expect, it, onTestFinished, vi } from "vitest";
import { API_KEY, errorOf, gatewayFor, TRANSPORTS } from "../../test/gateways.js";
import {
  chunk,
  completion,
  errorBody,
  sendEvents,
  sendJSON,
  startServer,
} from "../../test/scripted-server.js";
import {
  APITimeoutError,
  APIUserAbortError,
  ConfigurationError,
  type ModelGateway,
  RateLimitError,
  StreamInterruptedError,
} from "../index.js";

const CHAT = { model: "m", messages: [{ role: "user" as const, content: "hi" }] };
const VIDEO = { model: "m", content: [{ type: "text" as const, text: "a fox" }] };
const never = () => new Promise<string>(() => {});

describe.each(TRANSPORTS)("a deadline over %s", (_name, transport) => {
  it("ends a call in an attempt, however much time the attempt has", async () => {
    const server = await startServer(({ method }, response) => {
      if (method === "GET") sendJSON(response, { data: [] });
    });
    const gateway = gatewayFor(server.url, transport);
    // Then there is a connection, however slow the machine is.
    await gateway.models.list();
    const error = await errorOf(gateway.videos.create(VIDEO, { deadline: 300 }));
    expect(error).toBeInstanceOf(APITimeoutError);
    expect(error).toMatchObject({ timeoutMs: 300, attempts: 1, maybeProcessed: true });
    expect((error as Error).message).toContain("within 300 ms (deadline)");
  });

  it("is not waited past: neither for a retry of our own nor for one that the server asks for", async () => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0.999);
    const server = await startServer((_request, response, count) =>
      sendJSON(
        response,
        errorBody("busy"),
        count === 1 ? 503 : 429,
        count === 1 ? {} : { "retry-after": "30" },
      ),
    );
    const gateway = gatewayFor(server.url, transport);
    expect(await errorOf(gateway.models.list({ deadline: 400 }))).toMatchObject({ status: 503, attempts: 1 });
    expect(await errorOf(gateway.models.list({ deadline: 5_000 }))).toMatchObject({
      status: 429,
      attempts: 1,
    });
    random.mockRestore();
  });

  it.each<[string, (gateway: ModelGateway, deadline: number) => PromiseLike<unknown>]>([
    [
      "embeddings in batches",
      ({ embeddings }, deadline) => {
        const input = Array.from({ length: 40 }, (_, index) => `text ${index}`);
        return embeddings.create({ model: "m", input }, { deadline, batchSize: 1, concurrency: 1 });
      },
    ],
    [
      "a judgement that falls back on a chat model",
      ({ moderations }, deadline) => moderations.classify("text", { model: "m", deadline }),
    ],
    ["a balance that is looked for", ({ account }, deadline) => account.balance({ deadline })],
  ])("holds for %s as a whole", async (_what, call) => {
    // Each request is well within the deadline by itself.
    const server = await startServer(({ path, json }, response) => {
      const answer = () => {
        if (!path.endsWith("/embeddings")) return sendJSON(response, errorBody("no"), 404);
        const { input } = json as { input: string[] };
        sendJSON(response, { data: input.map(() => ({ index: 0, embedding: [1] })) });
      };
      const timer = setTimeout(answer, 170);
      response.once("close", () => clearTimeout(timer));
    });
    const gateway = gatewayFor(server.url, { ...transport, endpoints: { specialized: server.url } });
    expect(await errorOf(call(gateway, 300))).toMatchObject({ kind: "timeout", timeoutMs: 300 });
    expect(server.requests.length).toBeLessThan(3);
  });

  it("ends a stream, and what had arrived is kept", async () => {
    const server = await startServer((_request, response) => {
      sendEvents(response, [chunk("begin")]);
      const alive = setInterval(() => response.write(`data: ${JSON.stringify(chunk("."))}\n\n`), 5);
      response.once("close", () => clearInterval(alive));
    });
    const gateway = gatewayFor(server.url, transport);
    const stream = await gateway.chat.completions.create({ ...CHAT, stream: true }, { deadline: 1_000 });
    const error = await errorOf(stream.finalCompletion());
    expect(error).toBeInstanceOf(StreamInterruptedError);
    expect(error).toMatchObject({ reason: "deadline" });
    const { partial } = error as { partial: { choices: Array<{ message: { content: string } }> } };
    expect(partial.choices[0]?.message.content).toMatch(/^begin\./);
  });

  it("that is over is not begun: nothing is sent in its last moment", async () => {
    const server = await startServer((_request, response) => sendJSON(response, { id: "t1" }));
    let now = performance.now();
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    onTestFinished(() => clock.mockRestore());
    const apiKey = async () => {
      now += 1_000;
      return API_KEY;
    };
    const error = await errorOf(
      gatewayFor(server.url, { ...transport, apiKey }).videos.create(VIDEO, { deadline: 1_000 }),
    );
    expect(error).toMatchObject({ kind: "timeout", timeoutMs: 1_000, attempts: 0, maybeProcessed: false });
    expect(server.requests).toHaveLength(0);
  });

  it("counts the wait for a turn", async () => {
    const server = await startServer(() => {});
    const gateway = gatewayFor(server.url, { ...transport, maxConcurrency: 1 });
    const controller = new AbortController();
    const first = errorOf(gateway.models.list({ signal: controller.signal }));
    await server.arrived(1);
    const second = await errorOf(gateway.models.list({ deadline: 30 }));
    expect(second).toMatchObject({ kind: "timeout", timeoutMs: 30, attempts: 0, retryable: true });
    expect((second as Error).message).toMatch(/deadline.*Nothing was sent/);
    controller.abort();
    await first;
    expect(server.requests).toHaveLength(1);
  });
});

describe("a function for the key", () => {
  it("that never answers ends with the call's time-out, its deadline, or its signal", async () => {
    const server = await startServer((_request, response) => sendJSON(response, { data: [] }));
    const gateway = gatewayFor(server.url, { apiKey: never });
    const late = await errorOf(gateway.models.list({ timeout: 20 }));
    expect(late).toBeInstanceOf(ConfigurationError);
    expect(late).toMatchObject({ option: "apiKey", attempts: 0, retryable: true, maybeProcessed: false });
    expect((late as Error).message).toContain("gave no key within 20 ms");
    expect(((await errorOf(gateway.models.list({ deadline: 20 }))) as Error).message).toMatch(
      /no key within \d+ ms/,
    );
    const controller = new AbortController();
    const left = errorOf(gateway.models.list({ signal: controller.signal }));
    controller.abort(new Error("left"));
    expect(await left).toBeInstanceOf(APIUserAbortError);
    const file = errorOf(gateway.download(`${server.origin}/a.png`, { timeout: 20 }));
    expect(await file).toMatchObject({ option: "apiKey" });
    expect(server.requests).toHaveLength(0);
  });

  it("that throws before it promises anything is caught as well", async () => {
    const cause = new Error("no vault");
    const gateway = gatewayFor("http://127.0.0.1:9/v1", {
      apiKey: () => {
        throw cause;
      },
    });
    expect(await errorOf(gateway.models.list())).toMatchObject({
      kind: "configuration",
      option: "apiKey",
      cause,
    });
  });
});

describe("a pause that a 429 asks for", () => {
  const chat = (model: string) => ({ ...CHAT, model });

  it("holds calls of that model, and no others", async () => {
    const server = await startServer(({ json }, response) =>
      (json as { model?: string } | undefined)?.model === "busy"
        ? sendJSON(response, errorBody("slow down"), 429, { "retry-after": "50" })
        : sendJSON(response, { ...(completion("ok") as object), data: [] }),
    );
    const gateway = gatewayFor(server.url, { maxRetries: 0 });
    expect(await errorOf(gateway.chat.completions.create(chat("busy")))).toBeInstanceOf(RateLimitError);
    await gateway.chat.completions.create(chat("other"));
    await gateway.models.list();
    expect(server.requests).toHaveLength(3);
  });

  it("that is longer than a call may take refuses it at once: nothing is sent", async () => {
    const server = await startServer((_request, response) =>
      sendJSON(response, errorBody("slow down"), 429, { "retry-after": "50" }),
    );
    const gateway = gatewayFor(server.url, { maxRetries: 0 });
    await errorOf(gateway.chat.completions.create(CHAT));
    const refused = await errorOf(gateway.chat.completions.create(CHAT, { timeout: 500 }));
    expect(refused).toBeInstanceOf(RateLimitError);
    expect(refused).toMatchObject({ attempts: 0, retryable: true, retryAfterMs: expect.any(Number) });
    expect((refused as RateLimitError).retryAfterMs).toBeGreaterThan(40_000);
    expect((refused as Error).message).toContain("was not sent");
    expect(server.requests).toHaveLength(1);
  });

  it("also inside an answer with status 200", async () => {
    const server = await startServer((_request, response) =>
      sendJSON(response, { code: 429, message: "slow down", data: null }, 200, { "retry-after": "50" }),
    );
    const gateway = gatewayFor(server.url, { maxRetries: 0 });
    expect(await errorOf(gateway.models.list())).toBeInstanceOf(RateLimitError);
    expect(await errorOf(gateway.models.list({ timeout: 500 }))).toMatchObject({ attempts: 0 });
  });
});

describe("an error inside an answer with status 200", () => {
  const answers = (code: number | string) =>
    startServer((_request, response, count) =>
      count === 1
        ? sendJSON(response, { error: { message: "upstream", code } }, 200, { "retry-after-ms": "1" })
        : sendJSON(response, { data: [], id: "t1" }),
    );

  it.each([500, "502", 429])("is repeated like a status of its own: %j", async (code) => {
    const server = await answers(code);
    expect((await gatewayFor(server.url).models.list().withResponse()).attempts).toBe(2);
  });

  it("leaves a paid create in doubt like a status of its own", async () => {
    const server = await answers(500);
    const error = await errorOf(gatewayFor(server.url).videos.create(VIDEO));
    expect(error).toMatchObject({ kind: "server", status: 200, attempts: 1, maybeProcessed: true });
    expect(error).toMatchObject({ timeline: [{ status: 200, meaning: 500 }] });
    expect(server.requests).toHaveLength(1);
    const limited = await answers(429);
    expect((await gatewayFor(limited.url).videos.create(VIDEO).withResponse()).attempts).toBe(2);
  });

  it("stays in doubt when a later attempt is refused", async () => {
    const server = await startServer((_request, response, count) =>
      count === 1
        ? sendJSON(response, { error: { message: "upstream", code: 500 } }, 200, { "retry-after-ms": "1" })
        : sendJSON(response, errorBody("no"), 400),
    );
    const error = await errorOf(gatewayFor(server.url, { retryBillable: true }).videos.create(VIDEO));
    expect(error).toMatchObject({ kind: "bad_request", attempts: 2, maybeProcessed: true });
  });
});

describe("the budget for retries", () => {
  it("is used up by a long outage: then each call is made once", async () => {
    const server = await startServer((_request, response) =>
      sendJSON(response, errorBody("down"), 503, { "retry-after-ms": "0" }),
    );
    const gateway = gatewayFor(server.url, { retryBudget: 3, maxRetries: 2 });
    const attempts: number[] = [];
    for (let call = 0; call < 4; call++) {
      attempts.push(((await errorOf(gateway.models.list())) as { attempts: number }).attempts);
    }
    expect(attempts).toEqual([3, 2, 1, 1]);
    const error = await errorOf(gateway.models.list());
    expect(error).toMatchObject({ retryable: true });
    expect((error as Error).message).toContain("retryBudget is used up");
  });

  it("comes back with successes", async () => {
    let down = true;
    const server = await startServer((_request, response) =>
      down ? sendJSON(response, {}, 503, { "retry-after-ms": "0" }) : sendJSON(response, { data: [] }),
    );
    const gateway = gatewayFor(server.url, { retryBudget: 1, maxRetries: 1 });
    const attempts = async () => ((await errorOf(gateway.models.list())) as { attempts: number }).attempts;
    expect([await attempts(), await attempts()]).toEqual([2, 1]);
    down = false;
    for (let call = 0; call < 11; call++) await gateway.models.list();
    down = true;
    expect([await attempts(), await attempts()]).toEqual([2, 1]);
  });

  it("is without end where that is asked for", async () => {
    const server = await startServer((_request, response) =>
      sendJSON(response, {}, 503, { "retry-after-ms": "0" }),
    );
    const gateway = gatewayFor(server.url, { retryBudget: Number.POSITIVE_INFINITY, maxRetries: 150 });
    expect(await errorOf(gateway.models.list())).toMatchObject({ attempts: 151 });
  });
});

describe("answers that are larger than they may be", () => {
  it("are cut where they are errors: their message is not lost", async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(502, { "content-type": "text/html" });
      response.write("<h1>Bad gateway</h1>");
      const page = "x".repeat(2 ** 16);
      for (let count = 0; count < 40; count++) response.write(page);
      // And never ends.
    });
    const error = await errorOf(gatewayFor(server.url, { maxRetries: 0 }).models.list());
    expect(error).toMatchObject({ status: 502 });
    expect((error as Error).message).toContain("Bad gateway");
    expect(String((error as { body: unknown }).body).length).toBeLessThanOrEqual(2 ** 20);
  });

  it("are dropped where they are events without end", async () => {
    const piece = new TextEncoder().encode(`data: {"x":"${"y".repeat(2 ** 20)}`);
    let pulls = 0;
    const body = () =>
      new ReadableStream({
        pull(controller) {
          pulls++;
          controller.enqueue(piece);
        },
      });
    const fetch = async () => new Response(body(), { headers: { "content-type": "text/event-stream" } });
    const gateway = gatewayFor("https://gateway.example/v1", { fetch });
    const stream = await gateway.chat.completions.create({ ...CHAT, stream: true });
    const error = await errorOf(stream.finalCompletion());
    expect(error).toMatchObject({ kind: "invalid_response" });
    expect((error as Error).message).toContain("an event of more than 67108864 characters");
    expect(pulls).toBeLessThan(100);
  });

  it("are dropped where they are streams without end", async () => {
    const piece = new TextEncoder().encode(`: ${"x".repeat(2 ** 20)}\n`.repeat(16));
    const body = () => new ReadableStream({ pull: (controller) => controller.enqueue(piece) });
    const fetch = async () => new Response(body(), { headers: { "content-type": "text/event-stream" } });
    const stream = await gatewayFor("https://gateway.example/v1", { fetch }).chat.completions.create({
      ...CHAT,
      stream: true,
    });
    const error = await errorOf(stream.finalCompletion());
    expect(error).toMatchObject({ kind: "invalid_response" });
    expect((error as Error).message).toContain("more than 1073741824 bytes");
  });

  it.each([
    ["an answer", '{"choices":'],
    ["an error", '{"error":{"message":"no"},"detail":'],
  ])("nested without end are errors of ours: %s", async (_what, start) => {
    const depth = 200_000;
    const text = `${start}${"[".repeat(depth)}${"]".repeat(depth)}}`;
    const fetch = async () => new Response(text, { headers: { "content-type": "application/json" } });
    const gateway = gatewayFor("https://gateway.example/v1", { fetch, maxRetries: 0 });
    const error = await errorOf(
      gateway.chat.completions.create(CHAT).then(({ choices }) => {
        if (JSON.stringify(choices[0]?.message) === undefined) throw new ConfigurationError("no message");
      }),
    );
    expect((error as { kind?: string }).kind).toBeTypeOf("string");
    expect(JSON.stringify(error)).toBeTypeOf("string");
  });
});

describe("what a client tells", () => {
  it("holds no key that a server echoes, wherever it puts it", async () => {
    const told: unknown[] = [];
    const server = await startServer(({ path }, response) =>
      path.endsWith("/models")
        ? sendJSON(response, { error: { message: "no", request_id: `id-${API_KEY}` } }, 500, {
            "x-request-id": `r-${API_KEY}`,
          })
        : sendJSON(response, { id: "t1", status: "failed", error: { message: `bad key ${API_KEY}` } }, 200, {
            "x-request-id": API_KEY,
          }),
    );
    const note = (event: unknown) => told.push(event);
    const log = (...args: unknown[]) => told.push(args);
    const gateway = gatewayFor(server.url, {
      maxRetries: 1,
      hooks: { onRequest: note, onResponse: note, onRetry: note, onStreamEnd: note },
      logger: { debug: log, info: log, warn: log, error: log },
      logLevel: "debug",
    });
    const failed = await errorOf(gateway.models.list());
    expect(failed).toMatchObject({ requestId: "r-sk-***" });
    const handle = { v: 1, family: "content", id: "t1" } as const;
    const task = await errorOf(gateway.videos.wait(handle));
    expect((task as Error).message).toContain("bad key sk-***");
    const { requestId } = await gateway.videos.retrieve(handle).withResponse();
    told.push(
      failed,
      task,
      requestId,
      (task as { task: unknown }).task,
      (failed as { timeline: unknown }).timeline,
    );
    const { inspect } = await import("node:util");
    expect(inspect(told, { depth: 20, showHidden: true })).not.toContain(API_KEY);
    expect(JSON.stringify(told)).not.toContain(API_KEY);
  });

  it("reads the id of a request from the body of an error that has no header for it", async () => {
    for (const body of [
      { error: { message: "no", request_id: "b-1" } },
      { message: "no", code: "x", request_id: "b-1" },
    ]) {
      const server = await startServer((_request, response) => sendJSON(response, body, 400));
      const error = await errorOf(gatewayFor(server.url).models.list());
      expect(error).toMatchObject({ requestId: "b-1", timeline: [{ requestId: "b-1" }] });
      expect((error as Error).message).toContain("request id b-1");
    }
  });
});

describe("the key of a paid create", () => {
  it("is the option where a header names another: the body's own id of the task is the same", async () => {
    const server = await startServer((_request, response) => sendJSON(response, { task_id: "t1" }));
    const { videos } = gatewayFor(server.url);
    const body = { model_name: "m", prompt: "p", image: "https://x.example/1.png" };
    await videos.imageToVideo(body, { idempotencyKey: "a", headers: { "Idempotency-Key": "b" } });
    await videos.imageToVideo(body, { headers: { "Idempotency-Key": "b" } });
    const keys = server.requests.map(({ headers, json }) => [
      headers["idempotency-key"],
      (json as { external_task_id?: string }).external_task_id,
    ]);
    expect(keys).toEqual([
      ["a", "a"],
      ["b", "b"],
    ]);
  });
});
