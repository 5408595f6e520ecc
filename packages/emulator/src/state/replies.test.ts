import { describe, expect, it } from "vitest";
import { createEmulator, expectCalls, type ReplyRule } from "../index.js";
import { readEventStream } from "../testing/read-event-stream.js";
import { bearer, errorOf, startEmulator } from "../testing/start-emulator.js";

const WEATHER = {
  type: "function" as const,
  function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
};

describe("a scripted reply", () => {
  it("is said to requests that it is for; the others are answered as usual", async () => {
    const { emulator, ask } = await startEmulator();
    emulator.replies.add({ when: { text: "refund" }, reply: "Refunds take five days." });
    expect(await ask("How long does a REFUND take?")).toBe("Refunds take five days.");
    expect(await ask("What is 6 times 7?")).toBe("6 * 7 = 42");
  });

  it("answers for models that nobody serves", async () => {
    const { emulator, openai } = await startEmulator();
    emulator.replies.add({ when: { model: "gpt-4o" }, reply: "Hello" });
    const ask = (model: string) =>
      openai.chat.completions.create({ model, messages: [{ role: "user", content: "Hi" }] });
    const { choices, model } = await ask("gpt-4o");
    expect([model, choices[0]?.message.content]).toEqual(["gpt-4o", "Hello"]);
    expect(emulator.ledger.total()).toMatchObject({ calls: 1, units: 0 });
    await expect(ask("gpt-5")).rejects.toThrow("does not exist");
  });

  it("is the first that fits, as often as it says", async () => {
    const { emulator, ask } = await startEmulator();
    emulator.replies.add({ reply: "once", times: 1 });
    emulator.replies.add({ when: { text: /^(a|b)$/i }, reply: "a or b", times: 2 });
    emulator.replies.add({ reply: "anything" });
    const said = [];
    for (const text of ["a", "a", "b", "A", "c"]) said.push(await ask(text));
    expect(said).toEqual(["once", "a or b", "a or b", "anything", "anything"]);
    expect(emulator.replies.list().map(({ used }) => used)).toEqual([1, 2, 2]);
  });

  it("may be a function of the request, any JSON, or what only thinks and calls tools", async () => {
    const { emulator, openai } = await startEmulator();
    emulator.replies.add({
      when: { turn: 1 },
      toolCalls: [{ name: "weather", arguments: { city: "Oslo" } }],
    });
    emulator.replies.add({
      when: { tool: "weather" },
      reply: ({ text, turn, body }) => ({
        text,
        turn,
        messages: (body as { messages: unknown[] }).messages.length,
      }),
      reasoning: "It was asked for.",
    });
    const messages: Parameters<typeof openai.chat.completions.create>[0]["messages"] = [
      { role: "user", content: "How is it in Oslo?" },
    ];
    const ask = async () => {
      const { choices } = await openai.chat.completions.create({
        model: "local-chat",
        messages,
        tools: [WEATHER],
      });
      return choices[0];
    };
    const first = await ask();
    expect(first).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: null,
        tool_calls: [{ function: { name: "weather", arguments: '{"city":"Oslo"}' } }],
      },
    });
    const [call] = first?.message.tool_calls ?? [];
    messages.push(first?.message as never, { role: "tool", tool_call_id: call?.id ?? "", content: "rain" });
    const second = await ask();
    expect(JSON.parse(second?.message.content ?? "")).toEqual({
      text: "How is it in Oslo?",
      turn: 2,
      messages: 3,
    });
    expect(second?.message).toMatchObject({ reasoning_content: "It was asked for." });
  });

  it("streams its chunks as they are cut, with reasoning, an end and a usage of its own", async () => {
    const { emulator, post } = await startEmulator();
    emulator.replies.add({
      ...{ chunks: ["Hel", "lo, ", "wor", "ld"], reasoning: "Hm.", finishReason: "length" },
      usage: { promptTokens: 1_000, completionTokens: 2_000 },
    });
    const response = await post("/chat/completions", {
      ...{ model: "local-chat", messages: [{ role: "user", content: "Hello" }] },
      ...{ stream: true, stream_options: { include_usage: true } },
    });
    type Chunk = {
      choices: { delta: Record<string, string>; finish_reason: string | null }[];
      usage: object;
    };
    const events = await readEventStream(response);
    const chunks = events.flatMap(({ data }) => (data === "[DONE]" ? [] : (data as unknown as Chunk)));
    const deltas = chunks.flatMap(({ choices }) => choices);
    expect(deltas.flatMap(({ delta }) => delta["content"] || [])).toEqual(["Hel", "lo, ", "wor", "ld"]);
    expect(deltas.map(({ delta }) => delta["reasoning_content"] ?? "").join("")).toBe("Hm.");
    expect(deltas.at(-1)?.finish_reason).toBe("length");
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 1_000, completion_tokens: 2_000 });
    expect(emulator.ledger.total().units).toBe(250 + 2_000);
  });

  it("may be an error or a whole answer of any endpoint, for which nothing is billed", async () => {
    const { emulator, post } = await startEmulator();
    emulator.replies.add({
      when: { path: "/images/*", text: "fox" },
      error: { status: 429, code: "busy", message: "No foxes today.", retryAfter: 7 },
    });
    emulator.replies.add({
      when: { path: "/images/generations" },
      body: { data: [{ url: "https://a.test/1" }] },
    });
    emulator.replies.add({ when: { path: "/embeddings" }, error: { status: 500 } });
    const draw = (prompt: string) => post("/images/generations", { model: "local-image", prompt });
    const refused = await draw("a fox");
    expect(refused.headers.get("retry-after")).toBe("7");
    expect(await errorOf(refused)).toMatchObject({ status: 429, code: "busy", message: "No foxes today." });
    expect(await (await draw("a hen")).json()).toEqual({ data: [{ url: "https://a.test/1" }] });
    const failed = await post("/embeddings", { model: "local-embedding", input: "a" });
    expect((await errorOf(failed)).message).toBe("The script reply-3 answers 500.");
    expect(emulator.ledger.total().calls).toBe(0);
  });

  it("may be the events of a stream", async () => {
    const { emulator, post } = await startEmulator();
    emulator.replies.add({ when: { path: "/chat/completions" }, events: [{ odd: 1 }, "text"] });
    emulator.replies.add({ when: { path: "/images/generations" }, events: [{ type: "made.up" }] });
    const chat = await post("/chat/completions", {});
    expect(await chat.text()).toBe('data: {"odd":1}\n\ndata: "text"\n\ndata: [DONE]\n\n');
    const images = await post("/images/generations", {});
    expect(await images.text()).toBe('event: made.up\ndata: {"type":"made.up"}\n\n');
  });

  it("keeps its pace, also where the emulator itself answers, until the client leaves", async () => {
    const { emulator, post } = await startEmulator();
    emulator.replies.add({ when: { text: "for good" }, pace: { firstMs: 2 ** 31 - 1 }, reply: "never" });
    emulator.replies.add({ when: { text: "slowly" }, pace: { eachMs: 2 ** 31 - 1 } });
    emulator.replies.add({ pace: { firstMs: 1, eachMs: 1 } });
    const body = (content: string) => ({
      ...{ model: "local-chat", stream: true, messages: [{ role: "user", content }] },
    });
    expect(await (await post("/chat/completions", body("What is 6 times 7?"))).text()).toContain("[DONE]");
    const slow = await post("/chat/completions", body("slowly"));
    expect(slow.status).toBe(200);
    await slow.body?.cancel();
    const leaving = new AbortController();
    const never = emulator.fetch(`${emulator.url}/chat/completions`, {
      ...{ method: "POST", headers: bearer("sk-emulator"), body: JSON.stringify(body("for good")) },
      signal: leaving.signal,
    });
    await new Promise((resolve) => setImmediate(resolve));
    leaving.abort();
    await expect(never).rejects.toThrow("aborted");
  });

  it.each<[string, ReplyRule["when"], boolean]>([
    ["another path", { path: "/embeddings" }, false],
    ["paths that begin so", { path: "/chat/*" }, true],
    ["another model", { model: "local-reasoner" }, false],
    ["this model", { model: "local-chat" }, true],
    ["another key", { key: "sk-other" }, false],
    ["this key", { key: "sk-emulator" }, true],
    ["another tool", { tool: "weather" }, false],
    ["another turn", { turn: 2 }, false],
    ["this turn", { turn: 1 }, true],
    ["a pattern with memory", { text: /hello/gi }, true],
  ])("for %s is given or not", async (_what, when, isGiven) => {
    const { emulator, openai } = await startEmulator();
    emulator.replies.add({ when, pace: { firstMs: 0 } });
    for (let call = 0; call < 2; call++) {
      await openai.chat.completions.create({
        model: "local-chat",
        messages: [{ role: "user", content: "Hello" }],
      });
    }
    expect(emulator.replies.list()[0]?.used).toBe(isGiven ? 2 : 0);
    const entry = emulator.journal.list().at(-1);
    expect(entry?.reply).toBe(isGiven ? "reply-1" : undefined);
    expect(entry?.misses?.length).toBe(isGiven ? undefined : 1);
  });

  it("that is not given says why, and may be the only kind of answer", async () => {
    const { emulator, get, post } = await startEmulator({ unmatched: "refuse" });
    const ask = (content: string) =>
      post("/chat/completions", { model: "local-chat", messages: [{ role: "user", content }] });
    expect((await errorOf(await ask("Hello"))).message).toContain("There is none.");
    emulator.replies.add({ when: { text: "refund" }, reply: "a" });
    emulator.replies.add({ when: { model: "local-reasoner" }, reply: "b" });
    emulator.replies.add({ when: { text: "once" }, reply: "c", times: 1 });
    expect((await ask("once")).status).toBe(200);
    expect(await errorOf(await ask("once"))).toMatchObject({
      status: 400,
      code: "no_reply",
      message:
        "No scripted reply is for this request, and only those are given. " +
        'reply-1: the text "once" does not hold "refund"; ' +
        "reply-2: the model is local-chat, not local-reasoner; reply-3: it was given 1 times already.",
    });
    expect((await get("/models")).status).toBe(200);
  });

  it("of the options is there again after a reset, and those that were added are not", async () => {
    const { emulator, ask } = await startEmulator({ replies: [{ reply: "mine", times: 1 }] });
    emulator.replies.add({ reply: "later" });
    expect([await ask("a"), await ask("a")]).toEqual(["mine", "later"]);
    emulator.reset();
    expect(await ask("a")).toBe("mine");
    expect(emulator.replies.list()).toHaveLength(1);
    emulator.replies.clear("reply-1");
    expect(emulator.replies.list()).toEqual([]);
  });

  it.each<[string, object, string]>([
    ["nothing", {}, "A reply says something"],
    ["only a thought", { reasoning: "Hm." }, "A reply says something"],
    ["two whole answers", { body: {}, error: { status: 400 } }, "has one of body, events, error"],
    ["a whole answer and words", { body: {}, reply: "a" }, "reply cannot stand beside it"],
    ["words twice", { reply: "a", chunks: ["a"] }, "both say what it says"],
    ["words of no chat", { when: { path: "/embeddings" }, reply: "a" }, "its path is /embeddings"],
    ["no error", { error: { status: 200 } }, "error.status of a reply must be an integer from 400 to 599"],
    ["no times", { reply: "a", times: 0 }, "times of a reply"],
    ["no turn", { when: { turn: 0 }, reply: "a" }, "when.turn of a reply"],
    ["no time", { pace: { firstMs: -1 } }, "pace.firstMs of a reply"],
  ])("that says %s is refused", (_what, rule, message) => {
    expect(() => createEmulator().replies.add(rule)).toThrow(message);
    expect(() => createEmulator({ replies: [rule] })).toThrow(TypeError);
  });
});

describe("scripted replies over HTTP", () => {
  it("come, are listed, and go", async () => {
    const { emulator, ask } = await startEmulator();
    const control = (path: string, method = "GET", body?: unknown) =>
      fetch(new URL(`/_emulator/api/replies${path}`, emulator.url), {
        method,
        ...(body !== undefined && {
          body: JSON.stringify(body),
          headers: { "content-type": "application/json" },
        }),
      });
    const rule = { when: { text: "/order (\\d+)/i", key: "sk-emulator" }, reply: "Found.", times: 3 };
    const added = await control("", "POST", rule);
    const shown = { id: "reply-1", used: 0, ...rule, when: { text: "/order (\\d+)/i", key: "sk-…" } };
    expect([added.status, await added.json()]).toEqual([201, shown]);
    expect(await ask("Where is ORDER 17?")).toBe("Found.");
    emulator.replies.add({ reply: () => "code" });
    expect(await (await control("")).json()).toMatchObject({
      data: [
        { id: "reply-1", used: 1 },
        { id: "reply-2", reply: "(a function)" },
      ],
    });
    expect((await control("/reply-1", "DELETE")).status).toBe(204);
    expect((await control("/reply-1", "DELETE")).status).toBe(404);
    expect((await control("", "DELETE")).status).toBe(204);
    expect(emulator.replies.list()).toEqual([]);
  });

  it.each([
    [{ anser: "a" }, "anser is unknown here"],
    [{ when: { txt: "a" }, reply: "a" }, "when.txt is unknown here"],
    [{ when: { text: "/(/" }, reply: "a" }, "when.text is no regular expression"],
    [{ toolCalls: [{ arguments: {} }] }, "toolCalls[0].name is required"],
    [{ toolCalls: [{ name: "a", arguments: 1 }] }, "toolCalls[0].arguments must be an object"],
    [{ error: { code: "busy" } }, "error.status is required"],
    [{ pace: { firstMs: "1" } }, "pace.firstMs must be an integer"],
    [{ finishReason: "tired", reply: "a" }, "finishReason must be one of"],
    [{}, "A reply says something"],
  ])("are refused as %j", async (rule, message) => {
    const { emulator } = await startEmulator();
    const response = await fetch(new URL("/_emulator/api/replies", emulator.url), {
      ...{ method: "POST", body: JSON.stringify(rule), headers: { "content-type": "application/json" } },
    });
    const error = await errorOf(response);
    expect(error.status).toBe(400);
    expect(error.message).toContain(message);
  });
});

describe("expectCalls", () => {
  it("looks at bodies whole, also where the list shows them cut", async () => {
    const { emulator, ask } = await startEmulator();
    const long = `${"x".repeat(5_000)} refund`;
    await ask(long);
    const messages = [{ role: "user", content: long }];
    expectCalls(emulator, [{ text: "X refund", body: { messages } }]);
    expectCalls(emulator, [{ text: /x refund/ }]);
  });

  it("holds where the calls are those, and says of each that differs how", async () => {
    const { emulator, ask, post } = await startEmulator();
    await ask('Where is my "refund"?');
    await post("/images/generations", { model: "local-image", prompt: "a fox", size: "2K" });
    const calls = [
      { path: "/chat/completions", text: 'MY "refund"', status: 200 },
      { model: "local-image", text: /a f.x/, body: { size: "2K" } },
    ];
    expectCalls(emulator, calls);
    expectCalls(emulator, calls.slice(1), { path: "/images/generations" });
    expect(() => expectCalls(emulator, [])).toThrow(
      /✗ 1\. POST \/chat\/completions local-chat: nobody expected it/,
    );
    expect(() => expectCalls(emulator, [...calls, { path: "/videos" }])).toThrow(
      /✗ 3\. {"path":"\/videos"}: it was not made/,
    );
    expect(() => expectCalls(emulator, [{ text: "invoice" }, calls[1] ?? {}])).toThrow(
      /✗ 1\. .*does not hold "invoice"\n {2}✓ 2\./,
    );
    expect(() => expectCalls(emulator, [{ status: 404 }, {}])).toThrow("status is 200, not 404");
    expect(() => expectCalls(emulator, [{ text: /x{9}/ }, {}])).toThrow("does not match /x{9}/");
    expect(() => expectCalls(emulator, [{ body: { messages: [] } }, {}])).toThrow(
      /body\.messages is \[.*, not \[\]/,
    );
    expect(() => expectCalls(emulator, [{ body: { user: { id: 1 } } }, {}])).toThrow(
      "body.user.id is not there, not 1",
    );
  });
});
