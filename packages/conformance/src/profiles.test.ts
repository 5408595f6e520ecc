import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { type ChatCompletionChunk, GatewayError, ModelGateway } from "@model-gateway/core";
import { createEmulator, type Emulator, type ProfileName } from "@model-gateway/emulator";
import { describe, expect, it, onTestFinished } from "vitest";

const PROFILES: ProfileName[] = ["spec", "tolerant", "ark", "kling", "bailian", "newapi"];

async function start(profile: ProfileName): Promise<{ emulator: Emulator; gateway: ModelGateway }> {
  const emulator = await createEmulator({ profile }).listen();
  onTestFinished(() => emulator.close());
  const gateway = new ModelGateway({ apiKey: "sk-emulator", baseURL: emulator.url, maxRetries: 2 });
  return { emulator, gateway };
}

interface Told {
  callback_url?: string;
}

const CREATE = {
  content: (gateway: ModelGateway, prompt: string, told: Told = {}) =>
    gateway.videos.create({
      model: "local-video-2.0",
      content: [{ type: "text", text: prompt }],
      ...{ duration: 5, ...told },
    }),
  image2video: (gateway: ModelGateway, prompt: string, told: Told = {}) =>
    gateway.videos.imageToVideo({
      ...{ model_name: "local-image2video", prompt, duration: "5", ...told },
      image: "https://example.com/cat.png",
    }),
  "omni-video": (gateway: ModelGateway, prompt: string, told: Told = {}) =>
    gateway.videos.omniVideo({
      ...{ model_name: "local-omni-video", prompt, duration: "5", aspect_ratio: "16:9", ...told },
    }),
};

/** Where callbacks of the family `content` say by themselves that they are; those of the others say so nowhere. */
const TELLS_CONTENT = new Set<ProfileName>(["spec", "tolerant", "ark", "kling"]);

/** A receiver of callbacks, and what they said. */
async function receiver(): Promise<{ bodies: unknown[]; url: string }> {
  const bodies: unknown[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await json(request));
    response.end();
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

async function errorOf(work: Promise<unknown>): Promise<GatewayError> {
  try {
    await work;
  } catch (error) {
    if (GatewayError.isInstance(error)) return error;
    throw error;
  }
  throw new Error("It did not fail.");
}

describe.each(PROFILES)("in the shapes of the profile %s", (profile) => {
  it.each(Object.entries(CREATE))("the client follows a task of %s to its end", async (family, create) => {
    const { emulator, gateway } = await start(profile);
    const task = await create(gateway, "a boat");
    expect(task.id).toBe(emulator.videos.list()[0]?.id);
    const read = () => gateway.videos.retrieve(task.handle);
    const seen = [(await read()).status];
    const next = async () => {
      await emulator.clock.set(emulator.clock.nextAt() ?? 0);
      seen.push((await read()).status);
    };
    await next();
    await next();
    expect(seen).toEqual(["queued", "running", "succeeded"]);
    const { videos, status } = await read();
    expect(status).toBe("succeeded");
    expect(videos).toHaveLength(1);
    expect(videos[0]?.url).toContain(`${task.id}/video.mp4`);
    const failing = await create(gateway, "a boat [[fail]]");
    await emulator.clock.advance(60_000);
    const failed = await gateway.videos.retrieve(failing.handle);
    expect(failed.status).toBe("failed");
    expect(failed.error?.message).toContain("asked for a failure");
    expect(family).toBe(failed.family);
  });

  it.each(Object.entries(CREATE))("the client reads the callbacks of a task of %s", async (name, create) => {
    const { emulator, gateway } = await start(profile);
    const family = name as keyof typeof CREATE;
    const { bodies, url } = await receiver();
    const done = await create(gateway, "a boat", { callback_url: url });
    const failing = await create(gateway, "a boat [[fail]]", { callback_url: url });
    await emulator.clock.advance(60_000);
    const read = bodies.map((body) => gateway.videos.readCallback(body, { family }));
    for (const { id } of [done, failing])
      expect(read.filter((callback) => callback.id === id).map(({ status }) => status)).toEqual([
        "running",
        id === done.id ? "succeeded" : "failed",
      ]);
    for (const { handle } of read) {
      if (handle === undefined) throw new Error("A callback gave no handle.");
      expect((await gateway.videos.retrieve(handle)).status).toMatch(/^(succeeded|failed)$/);
    }
    const told = family === "content" && TELLS_CONTENT.has(profile) ? "content" : undefined;
    for (const body of bodies) expect(gateway.videos.readCallback(body).family).toBe(told);
  });

  it("the client reads a stream to its end, with what was counted", async () => {
    const { emulator, gateway } = await start(profile);
    const chunks: ChatCompletionChunk[] = [];
    const stream = await gateway.chat.completions.create({
      ...{ model: "local-chat", stream: true, stream_options: { include_usage: true } },
      messages: [{ role: "user", content: "What is 6 times 7?" }],
    });
    for await (const chunk of stream) chunks.push(chunk);
    const completion = await stream.finalCompletion();
    expect(completion.choices[0]?.message.content).toBe("6 * 7 = 42");
    expect(completion.choices[0]?.finish_reason).toBe("stop");
    const [charge] = emulator.ledger.list();
    expect(completion.usage).toMatchObject({
      prompt_tokens: charge?.counted.inputTokens,
      completion_tokens: charge?.counted.outputTokens,
    });
    expect(completion.id).toMatch(/^chatcmpl-/);
  });

  it("the client knows errors for what they are, and repeats none of these", async () => {
    const { emulator, gateway } = await start(profile);
    const wrong = new ModelGateway({ apiKey: "sk-wrong", baseURL: emulator.url });
    const messages = [{ role: "user" as const, content: "a" }];
    const refused = await errorOf(wrong.chat.completions.create({ model: "local-chat", messages }));
    expect([refused.kind, (refused as { status?: number }).status]).toEqual(["authentication", 401]);
    expect(refused.message).toContain("does not exist or was deleted");
    const unknown = await errorOf(gateway.chat.completions.create({ model: "none", messages }));
    expect(unknown.kind).toBe("not_found");
    const missing = await errorOf(
      gateway.videos.retrieve({ v: 1, family: "content", id: "task_none" } as never),
    );
    expect(missing.kind).toBe("not_found");
    expect(emulator.journal.list().map(({ path }) => path)).toHaveLength(3);
    const invalid = await errorOf(
      gateway.request({
        method: "POST",
        path: "/chat/completions",
        body: { model: "local-chat", messages: [] },
      }),
    );
    expect(invalid.kind).toBe("bad_request");
  });

  it.each(Object.entries(CREATE))("and those of videos of %s", async (family, create) => {
    const { emulator, gateway } = await start(profile);
    emulator.keys.add({ key: "sk-poor", quota: 1 });
    const as = (apiKey: string) => new ModelGateway({ apiKey, baseURL: emulator.url, maxRetries: 2 });
    const poor = await errorOf(create(as("sk-poor"), "a boat"));
    expect(poor).toMatchObject({ kind: "permission_denied", insufficientQuota: true });
    expect((await errorOf(create(as("sk-wrong"), "a boat"))).kind).toBe("authentication");
    const body = { model: "none", model_name: "none", prompt: "a", content: [], image: "https://a.test" };
    const path = family === "content" ? "/videos" : `/videos/${family}`;
    const unknown = await errorOf(gateway.request({ method: "POST", path, body }));
    // Bailian has the same words for a model that is not there and for a body that is wrong.
    expect(unknown.kind).toBe(profile === "bailian" ? "bad_request" : "not_found");
    const model = family === "content" ? "local-video-2.0" : `local-${family}`;
    const tooLong = { ...body, model, model_name: model, duration: 400 };
    expect((await errorOf(gateway.request({ method: "POST", path, body: tooLong }))).kind).toBe(
      "bad_request",
    );
    const missing = { v: 1, family, id: family === "content" ? "task_none" : "123" };
    expect((await errorOf(gateway.videos.retrieve(missing as never))).kind).toBe("not_found");
    expect(emulator.journal.list()).toHaveLength(5);
    expect(emulator.ledger.list()).toEqual([]);
  });
});
