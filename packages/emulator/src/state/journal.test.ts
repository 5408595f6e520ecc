import { describe, expect, it } from "vitest";
import { startEmulator } from "../testing/start-emulator.js";

const hello = { model: "local-chat", messages: [{ role: "user", content: "Hello" }] };

describe("the journal", () => {
  it("holds an entry per request, with the key masked and long strings cut", async () => {
    const { emulator, post } = await startEmulator({
      keys: [{ key: "sk-0123456789abcdef", group: "default" }],
    });
    const long = "x".repeat(5_000);
    await post("/chat/completions", { ...hello, user: long }, "sk-0123456789abcdef");
    const [entry] = emulator.journal.list();
    expect(entry).toMatchObject({
      method: "POST",
      path: "/chat/completions",
      base: "general",
      key: "sk-…cdef",
      model: "local-chat",
      status: 200,
      complete: true,
      body: { model: "local-chat", user: `${"x".repeat(1_000)}… (4000 more characters)` },
    });
    expect(JSON.stringify(entry)).not.toContain("sk-0123456789abcdef");
  });

  it("can be filtered and cleared", async () => {
    const { emulator, post, get } = await startEmulator();
    await get("/models");
    await post("/chat/completions", hello);
    await post("/chat/completions", { model: "nothing", messages: [] });
    await fetch(`${emulator.urls.cdn}/models`);
    const count = (filter: Parameters<typeof emulator.journal.list>[0]) =>
      emulator.journal.list(filter).length;
    expect(count({ path: "/chat/completions" })).toBe(2);
    expect(count({ model: "local-chat", status: 200 })).toBe(1);
    expect(count({ base: "cdn" })).toBe(1);
    expect(count({ method: "GET" })).toBe(2);
    expect(count({ key: "sk-emulator" })).toBe(3);
    emulator.journal.clear();
    expect(count({})).toBe(0);
  });

  it("tells a stream that was read to its end from one that was left", async () => {
    const { emulator, openai } = await startEmulator({ latency: 10 });
    const request = { ...hello, stream: true } as const;
    for await (const _ of await openai.chat.completions.create({
      ...request,
      messages: [{ role: "user", content: "Hello" }],
    })) {
      // Read to the end.
    }
    expect(emulator.journal.list()[0]?.complete).toBe(true);
    for await (const _ of await openai.chat.completions.create({
      ...request,
      messages: [{ role: "user", content: "Hello" }],
    }))
      break;
    expect(emulator.journal.list()[1]?.complete).toBe(false);
  });
});
