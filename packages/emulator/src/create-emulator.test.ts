import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator } from "./index.js";
import { bearer, startEmulator } from "./testing/start-emulator.js";

describe("an emulator", () => {
  it("resolves listen to itself and serves four base addresses on one port", async () => {
    const { emulator } = await startEmulator();
    const { port } = new URL(emulator.url);
    expect(emulator.urls).toEqual({
      general: `http://127.0.0.1:${port}/v1`,
      cdn: `http://127.0.0.1:${port}/cdn/v1`,
      specialized: `http://127.0.0.1:${port}/specialized/v1`,
      specializedCdn: `http://127.0.0.1:${port}/specialized-cdn/v1`,
    });
    expect(emulator.url).toBe(emulator.urls.general);
    for (const url of Object.values(emulator.urls)) {
      expect((await fetch(`${url}/models`, { headers: bearer("sk-emulator") })).status).toBe(200);
    }
  });

  it("answers through fetch without a port", async () => {
    const emulator = createEmulator();
    const response = await emulator.fetch(`${emulator.url}/models`, { headers: bearer("sk-emulator") });
    expect(response.status).toBe(200);
    await emulator.close();
  });

  it("rejects a fetch whose signal aborts with the signal's reason", async () => {
    const emulator = createEmulator({ latency: 60_000 });
    const controller = new AbortController();
    const pending = emulator.fetch(`${emulator.url}/models`, {
      headers: bearer("sk-emulator"),
      signal: controller.signal,
    });
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    await emulator.close();
  });

  it("leaves the process's own Request and Response alone", async () => {
    const before = [globalThis.Request, globalThis.Response];
    await startEmulator();
    expect([globalThis.Request, globalThis.Response]).toEqual(before);
  });

  it("says which port is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    onTestFinished(() => {
      other.close();
    });
    const { port } = other.address() as AddressInfo;
    await expect(createEmulator().listen({ port })).rejects.toThrow(`Port ${port} is in use`);
  });

  it("listens once, and never again after close", async () => {
    const { emulator } = await startEmulator();
    await expect(emulator.listen()).rejects.toThrow("already listens");
    await emulator.close();
    await expect(emulator.listen()).rejects.toThrow("was closed");
    await expect(emulator.fetch(`${emulator.url}/models`)).rejects.toThrow("fetch failed");
  });

  it("ends open streams and waiting requests at once when it closes", async () => {
    const { emulator, post } = await startEmulator();
    emulator.faults.add({ kind: "slow-stream", delayMs: 600_000 });
    const streaming = await post("/chat/completions", {
      model: "local-chat",
      stream: true,
      messages: [{ role: "user", content: "Hello" }],
    });
    const body = streaming.text();
    const waiting = post("/chat/completions", {
      model: "local-chat",
      messages: [{ role: "user", content: "[[stuck]]" }],
    });
    const both = Promise.allSettled([body, waiting]);
    while (emulator.journal.list().length < 2) await new Promise((resolve) => setImmediate(resolve));
    await emulator.close();
    expect((await both).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  it("resets to how it was created", async () => {
    const { emulator, post } = await startEmulator({ keys: [{ key: "sk-extra", group: "default" }] });
    await post("/videos", { model: "local-video-2.0", content: [{ type: "text", text: "a cat" }] });
    emulator.keys.remove("sk-extra");
    emulator.faults.add({ kind: "status", status: 500 });
    await emulator.clock.advance(86_400_000);

    emulator.reset();

    expect(emulator.videos.list()).toEqual([]);
    expect(emulator.journal.list()).toEqual([]);
    expect(emulator.keys.list().map(({ key }) => key)).toEqual(["sk-emulator", "sk-extra"]);
    expect(Math.abs(emulator.clock.now() - Date.now())).toBeLessThan(60_000);
    expect((await post("/embeddings", { model: "local-embedding", input: "a" })).status).toBe(200);
  });

  it("refuses options out of range", () => {
    expect(() => createEmulator({ seed: 1.5 })).toThrow("seed must be an integer");
    expect(() => createEmulator({ latency: -1 })).toThrow("latency must be milliseconds");
    expect(() => createEmulator({ keys: [{ key: "nope", group: "default" }] })).toThrow('starts with "sk-"');
  });

  it("answers alike for one seed but for ids and times, and not for another", async () => {
    const answers = async (seed: number) => {
      const { openai } = await startEmulator({ seed });
      const [greeting, embedding] = await Promise.all([
        openai.chat.completions.create({
          model: "local-reasoner",
          messages: [{ role: "user", content: "Hello, what is 2+2?" }],
        }),
        openai.embeddings.create({ model: "local-embedding", input: "hello", dimensions: 64 }),
      ]);
      return { greeting: { ...greeting, id: "", created: 0 }, embedding };
    };
    expect(await answers(7)).toEqual(await answers(7));
    expect((await answers(8)).embedding).not.toEqual((await answers(7)).embedding);
  });
});
