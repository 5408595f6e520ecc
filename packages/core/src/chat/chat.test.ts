import { describe, expect, it } from "vitest";
import { errorOf, gatewayFor, TRANSPORTS } from "../../test/gateways.js";
import {
  chunk,
  completion,
  errorBody,
  sendEvents,
  sendJSON,
  startServer,
} from "../../test/scripted-server.js";
import {
  APIError,
  APIUserAbortError,
  type ChatCompletionChunk,
  InvalidRequestError,
  InvalidResponseError,
  RateLimitError,
  StreamInterruptedError,
} from "../index.js";

const CHAT = { model: "m", messages: [{ role: "user" as const, content: "hi" }] };
const STREAM = { ...CHAT, stream: true as const };

async function textOf(stream: AsyncIterable<ChatCompletionChunk>): Promise<string> {
  let text = "";
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
  return text;
}

describe("chat.completions.create", () => {
  it("reports every problem of a body at once and sends nothing", async () => {
    const server = await startServer((_request, response) => sendJSON(response, completion("x")));
    const body = { model: "", messages: [], temperature: 3, max_tokens: 0 };
    const error = await errorOf(gatewayFor(server.url).chat.completions.create(body));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect((error as InvalidRequestError).problems.map(({ field }) => field)).toEqual([
      "model",
      "messages",
      "temperature",
      "max_tokens",
    ]);
    expect((error as Error).message).toContain("from 0 to 2");
    expect(server.requests).toHaveLength(0);
  });

  it.each([-0.1, 2.1, Number.NaN])("refuses temperature %d and takes the bounds", async (temperature) => {
    const server = await startServer((_request, response) => sendJSON(response, completion("x")));
    const { completions } = gatewayFor(server.url).chat;
    expect(await errorOf(completions.create({ ...CHAT, temperature }))).toBeInstanceOf(InvalidRequestError);
    expect(server.requests).toHaveLength(0);
    for (const bound of [0, 2]) await completions.create({ ...CHAT, temperature: bound, max_tokens: 1 });
    expect(server.requests).toHaveLength(2);
  });

  it.each([[{ hello: "world" }], [{ id: "c", choices: [] }]])(
    "refuses %j, an answer without choices",
    async (answer) => {
      const server = await startServer((_request, response) => sendJSON(response, answer));
      expect(await errorOf(gatewayFor(server.url).chat.completions.create(CHAT))).toBeInstanceOf(
        InvalidResponseError,
      );
    },
  );

  it("takes an error beside an answer, or inside a choice, for an error", async () => {
    const answers = [
      { ...(completion("half") as object), error: { message: "too many", code: 429 } },
      {
        id: "c",
        choices: [
          {
            index: 0,
            message: { role: "assistant", content: "half" },
            error: { message: "too many", code: 429 },
          },
        ],
      },
    ];
    for (const answer of answers) {
      const server = await startServer((_request, response) => sendJSON(response, answer));
      const error = await errorOf(gatewayFor(server.url, { maxRetries: 0 }).chat.completions.create(CHAT));
      expect(error).toBeInstanceOf(RateLimitError);
    }
  });
});

describe.each(TRANSPORTS)("chat streams over %s", (_name, transport) => {
  it("yield the chunks and add them up", async () => {
    const server = await startServer((_request, response) => {
      sendEvents(response, [chunk(""), chunk("Hel"), chunk("lo"), chunk("", "stop")]);
      const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
      response.write(`data: ${JSON.stringify({ id: "chatcmpl-1", choices: [], usage })}\n\n`);
      response.end("data: [DONE]\n\n");
    });
    const stream = await gatewayFor(server.url, transport).chat.completions.create(STREAM);
    expect(await textOf(stream)).toBe("Hello");
    expect(await stream.finalCompletion()).toMatchObject({
      id: "chatcmpl-1",
      object: "chat.completion",
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
      usage: { total_tokens: 3 },
    });
    expect(server.requests[0]?.json).toEqual(STREAM);
    expect(server.requests[0]?.headers.accept).toBe("text/event-stream");
  });

  it("add up tool calls with and without index, and reasoning", async () => {
    const delta = (value: object) => ({ id: "c", choices: [{ index: 0, delta: value }] });
    const server = await startServer((_request, response) => {
      sendEvents(response, [
        delta({ reasoning_content: "Let me " }),
        delta({ reasoning: "think." }),
        delta({ tool_calls: [{ id: "a", function: { name: "weather", arguments: '{"city":' } }] }),
        delta({ tool_calls: [{ function: { arguments: '"Paris"}' } }] }),
        delta({ tool_calls: [{ index: 1, id: "b", function: { name: "time", arguments: "" } }] }),
        delta({ tool_calls: [{ index: 1, function: { name: "", arguments: "{}" } }] }),
        chunk("", "tool_calls"),
      ]);
      response.end();
    });
    const stream = await gatewayFor(server.url, transport).chat.completions.create(STREAM);
    const { choices } = await stream.finalCompletion();
    expect(choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: null,
        reasoning_content: "Let me think.",
        tool_calls: [
          { id: "a", function: { name: "weather", arguments: '{"city":"Paris"}' } },
          { id: "b", function: { name: "time", arguments: "{}" } },
        ],
      },
    });
  });

  it.each([
    ["a marker after the finish reason", [chunk("", "stop"), "[DONE]"], {}, false],
    ["a finish reason alone", [chunk("", "stop")], {}, true],
    [
      "a marker alone, where the route is known to send nothing else",
      ["[DONE]"],
      { requireFinishReason: false },
      false,
    ],
  ])("are complete with %s, even when the server never closes", async (_what, tail, options, ends) => {
    const server = await startServer((_request, response) => {
      sendEvents(response, [chunk("whole"), ...tail]);
      if (ends) response.end();
    });
    const perCall = await gatewayFor(server.url, transport).chat.completions.create(STREAM, options);
    expect(await textOf(perCall)).toBe("whole");
    const perClient = await gatewayFor(server.url, { ...transport, ...options }).chat.completions.create(
      STREAM,
    );
    expect(await textOf(perClient)).toBe("whole");
  });

  it("that end with a marker and no finish reason are cut off", async () => {
    const server = await startServer((_request, response) => {
      const call = { index: 0, id: "a", function: { name: "pay", arguments: "{}" } };
      sendEvents(response, [
        chunk("I pay "),
        { choices: [{ index: 0, delta: { tool_calls: [call] } }] },
        "[DONE]",
      ]);
    });
    const stream = await gatewayFor(server.url, transport).chat.completions.create(STREAM);
    const error = await errorOf(stream.finalCompletion());
    expect(error).toBeInstanceOf(StreamInterruptedError);
    expect(error).toMatchObject({ reason: "unfinished" });
    expect((error as Error).message).toContain(
      "ended without a finish reason, so its answer may be cut off (requireFinishReason: false accepts",
    );
    expect((error as StreamInterruptedError).partial).toMatchObject({
      choices: [{ message: { content: "I pay ", tool_calls: [{ id: "a" }] }, finish_reason: null }],
    });
  });

  it("are whole once every choice has told how it ended", async () => {
    const choice = (index: number, finish: string | null) => ({
      id: "c",
      choices: [{ index, delta: { content: `${index}` }, finish_reason: finish }],
    });
    const server = await startServer((_request, response, count) => {
      sendEvents(response, [choice(0, "stop"), ...(count > 1 ? [choice(1, count > 2 ? "stop" : null)] : [])]);
      response.end();
    });
    const open = () => gatewayFor(server.url, transport).chat.completions.create({ ...STREAM, n: 2 });
    expect(await errorOf(textOf(await open()))).toMatchObject({ reason: "closed" });
    expect(await errorOf(textOf(await open()))).toMatchObject({ reason: "closed" });
    expect((await (await open()).finalCompletion()).choices).toHaveLength(2);
  });

  it.each<[string, object, object]>([
    [
      "beside an id and a choice",
      {
        id: "c",
        error: { message: "lost", code: 502 },
        choices: [{ index: 0, delta: {}, finish_reason: "error" }],
      },
      { kind: "server", retryable: true },
    ],
    [
      "beside no choices",
      { id: "c", choices: [], error: { message: "slow down", code: 429 } },
      { kind: "rate_limit", retryable: true },
    ],
    [
      "inside a choice",
      { id: "c", choices: [{ index: 0, delta: {}, error: { message: "no", code: 403 } }] },
      { kind: "permission_denied" },
    ],
    [
      "as a finish reason",
      { id: "c", choices: [{ index: 0, delta: {}, finish_reason: "error" }] },
      { kind: "server", retryable: true },
    ],
    ["as a sentence", { id: "c", error: "upstream went away" }, { kind: "api" }],
  ])("fail with an error %s", async (_where, event, expected) => {
    const server = await startServer((_request, response) => {
      sendEvents(response, [chunk("part"), event, "[DONE]"]);
      response.end();
    });
    const stream = await gatewayFor(server.url, transport).chat.completions.create(STREAM);
    const error = await errorOf(stream.finalCompletion());
    expect(error).toBeInstanceOf(APIError);
    const { retryable = false, ...rest } = expected as { retryable?: boolean };
    expect(error).toMatchObject({ ...rest, retryable, maybeProcessed: false });
    expect((error as APIError).partial).toMatchObject({ choices: [{ message: { content: "part" } }] });
  });

  it("end with a marker that has blanks behind it, and have no calls where lists have empty places", async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const event = { choices: [{ index: 0, delta: { content: "ok", tool_calls: [null, undefined, 7] } }] };
      response.write(`data: ${JSON.stringify(event)}\n\ndata: ${JSON.stringify(chunk("", "stop"))}\n\n`);
      response.write("data: [DONE] \r\n\r\n");
    });
    const stream = await gatewayFor(server.url, transport).chat.completions.create(STREAM);
    expect((await stream.finalCompletion()).choices[0]?.message).toEqual({
      role: "assistant",
      content: "ok",
    });
  });

  it("take empty errors beside an answer for none", async () => {
    const server = await startServer((_request, response) => {
      sendEvents(response, [
        { ...(chunk("ok", "stop") as object), error: {} },
        { choices: [], error: null, usage: {} },
      ]);
      response.end();
    });
    expect(await textOf(await gatewayFor(server.url, transport).chat.completions.create(STREAM))).toBe("ok");
  });

  it("lose nothing that nobody knows when they are added up", async () => {
    const event = (delta: object, more: object = {}, top: object = {}) => ({
      id: "",
      model: "",
      ...top,
      choices: [{ index: 0, delta, finish_reason: null, ...more }],
    });
    const server = await startServer((_request, response) => {
      sendEvents(response, [
        event({ role: "assistant", content: null, refusal: null }, {}, { prompt_filter_results: [1] }),
        event(
          { refusal: "I can" },
          { logprobs: { content: [{ token: "I" }] } },
          { id: "c1", model: "m1", service_tier: "flex" },
        ),
        event(
          { refusal: "not." },
          { logprobs: { content: [{ token: "not" }] } },
          { id: "c2", system_fingerprint: "fp" },
        ),
        event({ reasoning_details: [{ type: "reasoning.text", text: "Hm", index: 0 }] }),
        event({ reasoning_details: [{ type: "reasoning.text", text: "m.", index: 0, signature: "s" }] }),
        event({ content: [{ type: "thinking", thinking: [{ type: "text", text: "Let " }] }] }),
        event({ content: [{ type: "thinking", thinking: [{ type: "text", text: "me." }] }] }),
        event({ content: "Sor" }),
        event({
          content: [{ type: "text", text: "ry" }],
          annotations: [{ type: "url_citation", url_citation: { url: "u" } }],
        }),
        event({
          audio: { id: "a", transcript: "So" },
          extra_content: { google: { thought_signature: "g" } },
        }),
        event({ audio: { transcript: "rry" } }, { finish_reason: "stop", native_finish_reason: "STOP" }),
      ]);
      response.end();
    });
    const stream = await gatewayFor(server.url, transport).chat.completions.create(STREAM);
    expect(await stream.finalCompletion()).toEqual({
      id: "c1",
      object: "chat.completion",
      created: 0,
      model: "m1",
      prompt_filter_results: [1],
      service_tier: "flex",
      system_fingerprint: "fp",
      choices: [
        {
          index: 0,
          logprobs: { content: [{ token: "I" }, { token: "not" }] },
          native_finish_reason: "STOP",
          finish_reason: "stop",
          message: {
            role: "assistant",
            refusal: "I cannot.",
            content: [
              { type: "thinking", thinking: [{ type: "text", text: "Let me." }] },
              { type: "text", text: "Sorry" },
            ],
            reasoning_details: [{ type: "reasoning.text", text: "Hmm.", index: 0, signature: "s" }],
            annotations: [{ type: "url_citation", url_citation: { url: "u" } }],
            audio: { id: "a", transcript: "Sorry" },
            extra_content: { google: { thought_signature: "g" } },
          },
        },
      ],
    });
  });

  it("count silence from their head on, however long that took", async () => {
    const server = await startServer((_request, response) => {
      setTimeout(() => response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders(), 500);
      setTimeout(() => response.end(`data: ${JSON.stringify(chunk("late", "stop"))}\n\n`), 550);
    });
    const gateway = gatewayFor(server.url, { ...transport, streamIdleTimeout: 400 });
    expect(await textOf(await gateway.chat.completions.create(STREAM))).toBe("late");
  });

  it("that close early are interruptions and keep what had arrived", async () => {
    const server = await startServer((_request, response) => {
      sendEvents(response, [chunk("half an ans")]);
      response.end();
    });
    const stream = await gatewayFor(server.url, transport).chat.completions.create(STREAM);
    const error = await errorOf(textOf(stream));
    expect(error).toBeInstanceOf(StreamInterruptedError);
    expect(error).toMatchObject({ reason: "closed" });
    expect((error as StreamInterruptedError).partial).toMatchObject({
      choices: [{ message: { content: "half an ans" }, finish_reason: null }],
    });
  });

  it("that break are interruptions too, unless the answer is whole", async () => {
    const server = await startServer(({ socket }, response, count) => {
      sendEvents(response, count === 1 ? [chunk("half")] : [chunk("all"), chunk("", "stop")]);
      setImmediate(() => socket.destroy());
    });
    const gateway = gatewayFor(server.url, transport);
    const broken = await gateway.chat.completions.create(STREAM);
    expect(await errorOf(textOf(broken))).toMatchObject({ name: "StreamInterruptedError", reason: "reset" });
    expect(await textOf(await gateway.chat.completions.create(STREAM))).toBe("all");
  });

  it("that fall silent are interruptions: comments are no sign of life", async () => {
    const server = await startServer((_request, response) => {
      sendEvents(response, [chunk("begin")]);
      const keepAlive = setInterval(() => response.write(": keep-alive\n\n"), 20);
      response.once("close", () => clearInterval(keepAlive));
    });
    const gateway = gatewayFor(server.url, { ...transport, streamIdleTimeout: 150 });
    const stream = await gateway.chat.completions.create(STREAM);
    const error = await errorOf(textOf(stream));
    expect(error).toMatchObject({ name: "StreamInterruptedError", reason: "idle" });
  });

  it("report an error event as the matching error, with what had arrived", async () => {
    const server = await startServer((_request, response) => {
      sendEvents(response, [chunk("part"), { error: { message: "too fast", code: 429, type: "x" } }]);
      response.end();
    });
    const stream = await gatewayFor(server.url, transport).chat.completions.create(STREAM);
    const error = await errorOf(textOf(stream));
    expect(error).toBeInstanceOf(RateLimitError);
    expect((error as APIError).partial).toMatchObject({ choices: [{ message: { content: "part" } }] });
  });

  it("are repeated before their first event only", async () => {
    const server = await startServer((_request, response, count) => {
      if (count === 1) return sendJSON(response, errorBody("busy"), 503, { "retry-after-ms": "1" });
      sendEvents(response, [chunk("ok", "stop")]);
      response.end();
    });
    const { data, attempts } = await gatewayFor(server.url, transport)
      .chat.completions.create(STREAM)
      .withResponse();
    expect(attempts).toBe(2);
    expect(await textOf(data)).toBe("ok");
  });

  it("throw on JSON error bodies of any declared type, and on whole answers", async () => {
    const server = await startServer((_request, response, count) => {
      if (count === 1) return sendJSON(response, errorBody("bad"), 200);
      if (count === 2) return sendJSON(response, errorBody("bad"), 400);
      return sendJSON(response, completion("whole"));
    });
    const gateway = gatewayFor(server.url, transport);
    expect(await errorOf(gateway.chat.completions.create(STREAM))).toBeInstanceOf(APIError);
    expect(await errorOf(gateway.chat.completions.create(STREAM))).toMatchObject({ status: 400 });
    expect(await errorOf(gateway.chat.completions.create(STREAM))).toBeInstanceOf(InvalidResponseError);
  });

  it("are read from a body that does not declare itself a stream", async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write(": hello\n\n");
      setImmediate(() => response.end(`data: ${JSON.stringify(chunk("ok", "stop"))}\n\n`));
    });
    const stream = await gatewayFor(server.url, transport).chat.completions.create(STREAM);
    expect(await textOf(stream)).toBe("ok");
  });

  it("refuse an event that is not JSON", async () => {
    const server = await startServer((_request, response) => {
      sendEvents(response, [chunk("a"), "{broken"]);
      response.end();
    });
    const stream = await gatewayFor(server.url, transport).chat.completions.create(STREAM);
    expect(await errorOf(textOf(stream))).toBeInstanceOf(InvalidResponseError);
  });

  it("close the connection when the reader leaves the loop", async () => {
    const server = await startServer((_request, response) => sendEvents(response, [chunk("a"), chunk("b")]));
    const stream = await gatewayFor(server.url, transport).chat.completions.create(STREAM);
    const closed = new Promise((resolve) => server.requests[0]?.socket.once("close", resolve));
    for await (const _chunk of stream) break;
    await closed;
  });

  it("reject with an abort error on abort(), and on the caller's signal", async () => {
    const server = await startServer((_request, response) => sendEvents(response, [chunk("a")]));
    const gateway = gatewayFor(server.url, transport);
    const own = await gateway.chat.completions.create(STREAM);
    const iterator = own[Symbol.asyncIterator]();
    await iterator.next();
    const next = errorOf(iterator.next());
    own.abort();
    expect(await next).toBeInstanceOf(APIUserAbortError);

    const controller = new AbortController();
    const signalled = await gateway.chat.completions.create(STREAM, { signal: controller.signal });
    const reading = errorOf(textOf(signalled));
    controller.abort();
    expect(await reading).toBeInstanceOf(APIUserAbortError);
  });

  it("become a body of newline-separated JSON", async () => {
    const server = await startServer((_request, response) => {
      sendEvents(response, [chunk("a"), chunk("b", "stop"), "[DONE]"]);
      response.end();
    });
    const stream = await gatewayFor(server.url, transport).chat.completions.create(STREAM);
    const lines = (await new Response(stream.toReadableStream()).text()).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([chunk("a"), chunk("b", "stop")]);
  });

  it("slow the server down when the reader is behind, and lose nothing", async () => {
    const total = 20_000;
    const server = await startServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let index = 0; index < total; index++)
        response.write(`data: ${JSON.stringify(chunk(`${index} `))}\n\n`);
      response.end(`data: ${JSON.stringify(chunk("", "stop"))}\n\n`);
    });
    const stream = await gatewayFor(server.url, transport).chat.completions.create(STREAM);
    let count = 0;
    for await (const { choices } of stream) {
      if (choices[0]?.delta.content) expect(choices[0].delta.content).toBe(`${count++} `);
      if (count % 5_000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(count).toBe(total);
  });
});
