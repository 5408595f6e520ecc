import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ModelGateway } from "@model-gateway/core";
import { createEmulator, type EmulatorOptions } from "@model-gateway/emulator";
import { describe, expect, it, onTestFinished } from "vitest";

const KEY = "sk-of-the-upstream-0123456789";
const CALLER = "sk-of-the-caller-9876543210";
const MESSAGES = [{ role: "user" as const, content: "What is 6 times 7?" }];

/** A client that fails over between all addresses of an emulator. */
async function start(options: EmulatorOptions) {
  const emulator = await createEmulator({ keys: [{ key: CALLER }], ...options }).listen();
  onTestFinished(() => emulator.close());
  const { general, cdn, specialized, specializedCdn } = emulator.urls;
  const endpoints = { cdn, specialized, specializedCdn };
  return { emulator, gateway: new ModelGateway({ apiKey: CALLER, baseURL: general, endpoints }) };
}

/** What an application does with the client, and what it got. */
async function useEverything(gateway: ModelGateway): Promise<unknown[]> {
  const got: unknown[] = [];
  const keepBytes = (bytes: Uint8Array) =>
    got.push([bytes.byteLength, createHash("sha256").update(bytes).digest("hex")]);
  got.push(await gateway.models.list({ route: "failover" }));
  const stream = await gateway.chat.completions.create({
    model: "local-chat",
    messages: MESSAGES,
    stream: true,
  });
  got.push(await stream.finalCompletion());
  got.push((await gateway.embeddings.create({ model: "local-embedding", input: ["a", "b"] })).data);
  const speech = await gateway.audio.speech.create({ model: "local-speech", input: "Hello", voice: "alloy" });
  keepBytes(await speech.bytes());
  const drawn = await gateway.images.generate({
    model: "local-image-b64",
    prompt: "A hat",
    size: "1024x1024",
  });
  const picture = (await drawn.images[0]?.bytes()) ?? new Uint8Array();
  keepBytes(picture);
  const edited = await gateway.images.edit({
    model: "local-image-b64",
    prompt: "A red hat",
    images: [{ data: picture, filename: "hat.png" }],
  });
  keepBytes((await edited.images[0]?.bytes()) ?? new Uint8Array());
  const { handle } = await gateway.videos.create({
    model: "local-video-2.0",
    content: [{ type: "text", text: "A fox" }],
    resolution: "480p",
  });
  const task = await gateway.videos.wait(handle, { intervalMs: 50 });
  got.push(handle.id, task.status);
  const film = await gateway.download(task.videos[0]?.url ?? "");
  got.push(film.contentType, film.contentLength);
  keepBytes(await film.bytes());
  got.push(
    await gateway.chat.completions.create({ model: "nobody", messages: MESSAGES }).catch(describeError),
  );
  return got;
}

function describeError(error: unknown): unknown {
  const { kind, status, message } = error as { kind: string; status: number; message: string };
  // Those of requests are another each time.
  return { kind, status, message: message.replace(/request id [\w-]+/, "") };
}

describe("what the client does with another gateway", () => {
  it.each([0, 1])("is recorded, and the same again without it, at %j of the time", async (timeScale) => {
    const dir = await mkdtemp(join(tmpdir(), "recordings-"));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const upstream = await createEmulator({
      keys: [{ key: KEY }],
      videoTimings: { queuedMs: 50, runningMs: 200 },
    }).listen();
    onTestFinished(() => upstream.close());
    const recorder = await start({ upstream: { baseURL: upstream.url, apiKey: KEY }, record: { dir } });
    const recorded = await useEverything(recorder.gateway);
    await recorder.emulator.close();
    expect(upstream.journal.list().every(({ key }) => key === null || key === "sk-…6789")).toBe(true);
    await upstream.close();
    for (const name of await readdir(dir)) {
      const bytes = await readFile(join(dir, name));
      for (const key of [KEY, CALLER]) expect(bytes.includes(key), name).toBe(false);
    }

    const replayer = await start({ replay: { dir, timeScale } });
    expect(withoutOrigins(await useEverything(replayer.gateway))).toEqual(withoutOrigins(recorded));
    expect(replayer.emulator.recordings.unused()).toEqual([]);

    const missed = await replayer.gateway.chat.completions
      .create({ model: "local-chat", messages: [{ role: "user", content: "What is 6 times 8?" }] })
      .catch(describeError);
    expect(missed).toMatchObject({
      status: 404,
      message: expect.stringContaining('sent "What is 6 times 8?"'),
    });
    expect(replayer.emulator.journal.list({ status: 404, model: "local-chat" })).toHaveLength(1);
  });
});

/** Each run listens somewhere else. */
function withoutOrigins(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replace(/http:\/\/127\.0\.0\.1:\d+/g, "http://here"));
}
