import { describe, expect, it } from "vitest";
import { createEmulator, type EmulatorOptions, type JournalChange } from "../index.js";
import { bearer, errorOf, startEmulator } from "../testing/start-emulator.js";

const QUESTION = [
  { role: "system", content: "Context:\nOrders ship within two days.\nRefunds take five days." },
  { role: "user", content: "When do orders ship?" },
];

async function recorded(options: EmulatorOptions = {}) {
  const started = await startEmulator(options);
  const { emulator } = started;
  const last = () => emulator.journal.get(emulator.journal.list().at(-1)?.id ?? "");
  return { ...started, last };
}

describe("a recorded call", () => {
  it("holds what came and what went, whole, and no key", async () => {
    const { emulator, post, last } = await recorded();
    const body = { model: "local-chat", messages: QUESTION, user: "x".repeat(50_000) };
    const answer = await (await post("/chat/completions", body)).text();
    const call = last();
    expect(call?.request.text).toBe(JSON.stringify(body));
    expect(call?.response).toMatchObject({ text: answer, size: answer.length });
    expect(call?.response.headers).toMatchObject({
      "content-type": "application/json",
      "x-request-id": call?.entry.id,
    });
    expect(call?.url).toBe(`${emulator.url}/chat/completions`);
    expect(call?.request.headers["authorization"]).toBe("…");
    expect(JSON.stringify(call)).not.toContain("sk-emulator");
    expect(call?.entry).toMatchObject({ status: 200, complete: true, units: emulator.ledger.total().units });
  });

  it("says why it was answered so", async () => {
    const { emulator, post, last } = await recorded();
    await post("/chat/completions", { model: "local-chat", messages: QUESTION });
    expect(last()?.entry.why).toEqual([
      'The request is: "When do orders ship?"',
      expect.stringMatching(/^I weighed 2 passages/),
      expect.stringMatching(/^Quoted, score \d\.\d\d, covers 100 %: "Orders ship within two days\."$/),
    ]);
    await post("/chat/completions", {
      ...{ model: "local-chat", messages: [{ role: "user", content: "How is the weather in Oslo?" }] },
      tools: [{ type: "function", function: { name: "weather", parameters: { properties: { city: {} } } } }],
    });
    expect(last()?.entry.why?.at(-1)).toMatch(/^weather applies, with \{"city":"Oslo"\}\.$/);
    emulator.faults.add({ kind: "status", status: 503, times: 1 });
    await post("/embeddings", { model: "local-embedding", input: "a" });
    expect(last()?.entry.why).toEqual(["The fault fault-1 (status) is in force."]);
    await post("/embeddings", { model: "local-embedding", input: ["a", "b [[429]]"] });
    expect(last()?.entry.why).toEqual(["The prompt holds [[429]]."]);
    emulator.replies.add({ when: { path: "/embeddings" }, error: { status: 400 } });
    await post("/embeddings", { model: "local-embedding", input: "a" });
    expect(last()?.entry).toMatchObject({ status: 400, reply: "reply-1" });
  });

  it("of a stream holds each event with its time, however its pieces were cut", async () => {
    for (const pace of ["events", "whole", "bytes", "cuts"] as const) {
      const { post, last } = await recorded({ pace });
      const body = { model: "local-chat", stream: true, messages: [{ role: "user", content: "Say 你好" }] };
      const text = await (await post("/chat/completions", body)).text();
      const events = last()?.response.events ?? [];
      expect(events.map((event) => event.text).join("\n\n")).toBe(text.trimEnd());
      expect(events.at(-1)?.text).toBe("data: [DONE]");
      const times = events.map(({ atMs }) => atMs);
      expect(times).toEqual([...times].sort((left, right) => left - right));
    }
  });

  it("holds as much of an answer as was sent before its reader left", async () => {
    const { emulator, post, last } = await recorded();
    emulator.replies.add({ chunks: ["a", "b"], pace: { eachMs: 2 ** 31 - 1 }, times: 1 });
    const response = await post("/chat/completions", {
      ...{ model: "local-chat", stream: true, messages: [{ role: "user", content: "Hello" }] },
    });
    await response.body?.cancel();
    await expect.poll(() => last()?.entry.durationMs).toBeGreaterThan(0);
    expect(last()).toMatchObject({ entry: { complete: false }, response: { size: 0, events: [] } });
  });

  it("holds forms and media: fields, and the bytes of an answer", async () => {
    const { emulator, post, last } = await recorded();
    const speech = await post("/audio/speech", {
      ...{ model: "local-speech", voice: "alloy", input: "Hello", response_format: "wav" },
    });
    const bytes = new Uint8Array(await speech.arrayBuffer());
    const { entry, response } = last() ?? {};
    expect(response).toMatchObject({ size: bytes.byteLength });
    expect(response?.text).toBeUndefined();
    expect(emulator.journal.bytes(entry?.id ?? "")).toEqual(Buffer.from(bytes));
    const form = new FormData();
    form.set("model", "local-image-b64");
    form.set("image", new File(["no picture"], "a.png", { type: "image/png" }));
    const headers = bearer("sk-emulator");
    await fetch(`${emulator.url}/images/edits`, { method: "POST", headers, body: form });
    expect(last()?.request.form).toEqual([
      { name: "model", text: "local-image-b64" },
      { name: "image", file: { name: "a.png", type: "image/png", size: 10 } },
    ]);
  });

  it("is kept as long as there is room, short or not at all, as it is asked for", async () => {
    const first = await recorded();
    const { length } = await (await first.get("/models")).text();
    const { emulator, get } = await recorded({ journal: { maxBytes: length * 1.5 } });
    for (let call = 0; call < 5; call++) await (await get("/models")).text();
    const kept = emulator.journal.list().map(({ id }) => emulator.journal.get(id)?.dropped);
    expect(kept).toEqual([true, true, true, true, false]);

    const short = await recorded({ journal: { bodies: "short" } });
    await short.post("/embeddings", { model: "local-embedding", input: "a" });
    expect(short.emulator.journal.list()[0]?.body).toMatchObject({ input: "a" });
    expect(short.last()).toBeUndefined();
    const none = await recorded({ journal: { bodies: "none" } });
    await none.post("/embeddings", { model: "local-embedding", input: "a" });
    const [unkept] = none.emulator.journal.list();
    expect([unkept?.path, unkept?.body]).toEqual(["/embeddings", undefined]);
    expect(() => createEmulator({ journal: { bodies: "some" as "none" } })).toThrow(
      "journal.bodies must be one of",
    );
    expect(() => createEmulator({ journal: { maxBytes: -1 } })).toThrow("journal.maxBytes must be");
  });

  it("is told of when it comes, is answered and ends", async () => {
    const { emulator, get } = await recorded();
    const changes: string[] = [];
    const unsubscribe = emulator.journal.subscribe((change: JournalChange) => {
      if (change.type === "entry")
        changes.push(`${change.entry.path} ${change.entry.status} ${change.entry.complete}`);
      else changes.push(change.type);
    });
    await (await get("/models")).text();
    emulator.journal.clear();
    unsubscribe();
    await (await get("/models")).text();
    expect(changes).toEqual(["/models null false", "/models 200 false", "/models 200 true", "cleared"]);
  });
});

describe("recorded calls over HTTP", () => {
  const control = (emulator: { url: string }, path: string) =>
    fetch(new URL(`/_emulator/api${path}`, emulator.url));

  it("are read whole, and their answers as files of which nothing runs", async () => {
    const { emulator, post, get, last } = await recorded();
    await (await get("/models")).text();
    const models = last();
    const id = models?.entry.id ?? "";
    expect(await (await control(emulator, `/journal/${id}`)).json()).toEqual(
      JSON.parse(JSON.stringify(models)),
    );
    const file = await control(emulator, `/journal/${id}/response`);
    expect(file.headers.get("content-disposition")).toBe(`attachment; filename="${id}.json"`);
    expect(await file.text()).toBe(models?.response.text);
    emulator.faults.add({ kind: "html", times: 1 });
    await (await get("/models")).text();
    const page = await control(emulator, `/journal/${last()?.entry.id}/response`);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
    });
    const wav = { model: "local-speech", voice: "alloy", input: "Hello", response_format: "wav" };
    await (await post("/audio/speech", wav)).arrayBuffer();
    const sound = await control(emulator, `/journal/${last()?.entry.id}/response`);
    expect([sound.headers.get("content-type"), sound.headers.get("content-disposition")]).toEqual([
      expect.stringMatching(/^audio\//),
      null,
    ]);
    expect((await errorOf(await control(emulator, "/journal/none"))).message).toContain('no request "none"');
    const short = await recorded({ journal: { bodies: "short" } });
    await (await short.get("/models")).text();
    const [entry] = short.emulator.journal.list();
    expect((await errorOf(await control(short.emulator, `/journal/${entry?.id}`))).message).toContain(
      "Bodies are not kept whole",
    );
  });

  it("are told as they happen, until the emulator closes", async () => {
    const emulator = await createEmulator().listen();
    const events = await control(emulator, "/events");
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const until = async (wanted: string) => {
      while (!text.includes(wanted)) {
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (done) return false;
        text += value;
      }
      return true;
    };
    expect(await until(": open")).toBe(true);
    const answer = await fetch(`${emulator.url}/models`, { headers: bearer("sk-emulator") });
    await answer.text();
    expect(await until('"complete":true')).toBe(true);
    expect(text).toContain(`event: entry\ndata: {"id":"${answer.headers.get("x-request-id")}"`);
    emulator.journal.clear();
    expect(await until("event: cleared")).toBe(true);
    expect(emulator.journal.list()).toEqual([]);
    await emulator.close();
    // It ends, or its connection does.
    expect(await until("never").catch(() => false)).toBe(false);
  });

  it("are skipped for a reader that is far behind, who is told so once, and hears of what comes later", async () => {
    const emulator = createEmulator();
    const response = await emulator.fetch(`${new URL(emulator.url).origin}/_emulator/api/events`);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let call = 0; call < 700; call++) await (await emulator.fetch(`${emulator.url}/models`)).text();
    let text = "";
    while (!text.includes("event: skipped")) text += (await reader?.read())?.value;
    emulator.journal.clear();
    while (!text.includes("event: cleared")) text += (await reader?.read())?.value;
    expect(text.match(/event: skipped/g)).toHaveLength(1);
    expect(text.match(/event: entry/g)?.length).toBeLessThan(1_100);
    await emulator.close();
  });

  it("end for a reader without a port, too, and leave no listener where one leaves", async () => {
    const emulator = createEmulator();
    const open = async () => {
      const response = await emulator.fetch(`${new URL(emulator.url).origin}/_emulator/api/events`);
      const reader = response.body?.getReader();
      await reader?.read();
      return reader;
    };
    const [left, stays] = [await open(), await open()];
    await left?.cancel();
    emulator.journal.clear();
    expect(new TextDecoder().decode((await stays?.read())?.value)).toContain("cleared");
    await emulator.close();
    expect((await stays?.read())?.done).toBe(true);
  });
});
