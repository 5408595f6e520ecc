import { describe, expect, it } from "vitest";
import { createEmulator } from "../index.js";
import { errorOf, startEmulator } from "../testing/start-emulator.js";

const hello = { model: "local-chat", messages: [{ role: "user", content: "Say hello world to everyone" }] };

describe("faults", () => {
  it("answer a status as often as they are to", async () => {
    const { emulator, post } = await startEmulator();
    emulator.faults.add({ kind: "status", status: 429, times: 2 });
    const first = await post("/chat/completions", hello);
    expect(first.headers.get("retry-after")).toBe("1");
    expect(await errorOf(first)).toMatchObject({
      status: 429,
      code: "rate_limit_exceeded",
      type: "rate_limit_error",
    });
    expect((await post("/chat/completions", hello)).status).toBe(429);
    expect((await post("/chat/completions", hello)).status).toBe(200);
  });

  it("hit only the path, model and key they name", async () => {
    const { emulator, post, get } = await startEmulator({ keys: [{ key: "sk-other", group: "default" }] });
    emulator.faults.add({
      kind: "status",
      status: 503,
      path: "/chat/*",
      model: "local-chat",
      key: "sk-other",
    });
    expect((await get("/models", "sk-other")).status).toBe(200);
    expect((await post("/chat/completions", hello)).status).toBe(200);
    expect((await post("/chat/completions", { ...hello, model: "local-reasoner" }, "sk-other")).status).toBe(
      200,
    );
    const hit = await post("/chat/completions", hello, "sk-other");
    expect(hit.status).toBe(503);
    expect(hit.headers.get("retry-after")).toBe("1");
  });

  it("stay until cleared, one or all", async () => {
    const { emulator, get } = await startEmulator();
    const id = emulator.faults.add({ kind: "status" });
    emulator.faults.add({ kind: "status", status: 502 });
    expect((await get("/models")).status).toBe(500);
    emulator.faults.clear(id);
    expect((await get("/models")).status).toBe(502);
    emulator.faults.clear();
    expect((await get("/models")).status).toBe(200);
  });

  it("answer HTML as a proxy would", async () => {
    const { emulator, get } = await startEmulator();
    emulator.faults.add({ kind: "html" });
    const response = await get("/models");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("text/html");
    expect(await response.text()).toContain("<html>");
  });

  it("break the JSON of an answer", async () => {
    const { emulator, get } = await startEmulator();
    emulator.faults.add({ kind: "malformed-json" });
    const response = await get("/models");
    expect(response.headers.get("content-type")).toContain("application/json");
    await expect(response.json()).rejects.toThrow(SyntaxError);
  });

  it("break the JSON of one event of a stream", async () => {
    const { emulator, post } = await startEmulator();
    emulator.faults.add({ kind: "malformed-json" });
    const text = await (await post("/chat/completions", { ...hello, stream: true })).text();
    const events = text.split("\n\n").filter((event) => event !== "" && event !== "data: [DONE]");
    const broken = events.filter((event) => !isJSON(event.slice("data: ".length)));
    expect(broken).toHaveLength(1);
  });

  it("close a stream in the middle, cleanly", async () => {
    const { emulator, post } = await startEmulator();
    emulator.faults.add({ kind: "cut-stream" });
    const text = await (await post("/chat/completions", { ...hello, stream: true })).text();
    expect(text).toContain('"role":"assistant"');
    expect(text).not.toContain('finish_reason":"stop');
    expect(text).not.toContain("[DONE]");
  });

  it("delay an answer, and pieces of a stream, without changing them", async () => {
    const { emulator, post } = await startEmulator();
    emulator.faults.add({ kind: "delay", delayMs: 5, times: 1 });
    expect((await post("/chat/completions", hello)).status).toBe(200);
    emulator.faults.add({ kind: "slow-stream", delayMs: 1 });
    expect(await (await post("/chat/completions", { ...hello, stream: true })).text()).toContain(
      "data: [DONE]",
    );
    expect(await (await post("/chat/completions", hello)).json()).toMatchObject({
      object: "chat.completion",
    });
  });

  it.each([
    ["drop-before", 0],
    ["drop-after", 1],
  ] as const)("destroy the connection: %s leaves %i task(s) behind", async (kind, tasks) => {
    const { emulator, post } = await startEmulator();
    emulator.faults.add({ kind, times: 1 });
    const create = () =>
      post("/videos", { model: "local-video-2.0", content: [{ type: "text", text: "a cat" }] });
    await expect(create()).rejects.toThrow(TypeError);
    expect(emulator.videos.list()).toHaveLength(tasks);
    expect(emulator.journal.list()).toMatchObject([{ status: null, complete: false }]);
    expect((await create()).status).toBe(200);
  });

  it("reject in process as a broken network would", async () => {
    const emulator = createEmulator();
    emulator.faults.add({ kind: "drop-before" });
    await expect(
      emulator.fetch(`${emulator.url}/models`, { headers: { authorization: "Bearer sk-emulator" } }),
    ).rejects.toThrow(new TypeError("fetch failed"));
  });

  it("are refused when they make no sense", () => {
    const { faults } = createEmulator();
    expect(() => faults.add({ kind: "status", status: 200 })).toThrow(
      "status of a fault must be an integer from 400",
    );
    expect(() => faults.add({ kind: "delay", delayMs: -1 })).toThrow("delayMs");
    expect(() => faults.add({ kind: "status", times: 0 })).toThrow("times");
  });
});

describe("faults on binary answers", () => {
  const speech = { model: "local-speech", input: "Hello there", format: "wav" };

  it("slow them down or cut them off, and change no byte", async () => {
    const { emulator, post } = await startEmulator();
    const bytes = async () => Buffer.from(await (await post("/audio/speech", speech)).arrayBuffer());
    const whole = await bytes();
    emulator.faults.add({ kind: "slow-stream", delayMs: 1, times: 1 });
    expect((await bytes()).equals(whole)).toBe(true);
    emulator.faults.add({ kind: "cut-stream", times: 1 });
    const cut = await bytes();
    expect(cut.length).toBeLessThan(whole.length);
    expect(whole.subarray(0, cut.length).equals(cut)).toBe(true);
  });
});

describe("prompt markers", () => {
  const say = (content: string) => ({ model: "local-chat", messages: [{ role: "user", content }] });

  it.each([
    ["[[429]]", 429],
    ["[[500]]", 500],
    ["[[503]]", 503],
    ["[[fail]]", 500],
  ])("%s answers %i", async (marker, status) => {
    const { post } = await startEmulator();
    expect((await post("/chat/completions", say(`Hello ${marker}`))).status).toBe(status);
    expect((await post("/embeddings", { model: "local-embedding", input: [`a ${marker}`] })).status).toBe(
      status,
    );
  });

  it("count in each of many inputs", async () => {
    const { emulator, post } = await startEmulator();
    emulator.keys.update("sk-emulator", { moderation: true });
    for (const [path, model] of [
      ["/embeddings", "local-embedding"],
      ["/moderations", "local-moderation"],
    ] as const) {
      const ask = async (...input: string[]) => (await post(path, { model, input })).status;
      expect(await ask("[[503]]", "b", "c")).toBe(503);
      expect(await ask("a", "b [[503]]", "c")).toBe(503);
      expect(await ask("a", "[[503]] b", "c")).toBe(503);
      expect(await ask("a", "b", "c [[503]]")).toBe(503);
      expect(await ask("a", "a [[503]] b", "c")).toBe(200);
    }
  });

  it("are only spoken of inside a text, as in documentation that is indexed", async () => {
    const { post } = await startEmulator();
    const input = "The marker `[[429]]` makes a request answer 429.";
    expect((await post("/embeddings", { model: "local-embedding", input })).status).toBe(200);
    expect((await post("/chat/completions", say(input))).status).toBe(200);
  });

  it("count in the last user message only, and are no part of what is said", async () => {
    const { post } = await startEmulator();
    const body = say("[[429]]");
    body.messages.push(
      { role: "assistant", content: "?" },
      { role: "user", content: 'Say "hi" [[slow:1ms]]' },
    );
    const answer = await (await post("/chat/completions", body)).json();
    expect(answer.choices[0].message.content).toBe("hi");
  });
});

function isJSON(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
