import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { ModelGateway, type VideoFamily, type VideoTask } from "@model-gateway/core";
import { createEmulator, type Emulator } from "@model-gateway/emulator";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

const IMAGE = "https://files.example/fox.png";

let emulator: Emulator;
let gateway: ModelGateway;

beforeEach(async () => {
  emulator = await createEmulator({ seed: 1 }).listen({ port: 0 });
  onTestFinished(() => emulator.close());
  gateway = new ModelGateway({ apiKey: "sk-emulator", baseURL: emulator.url });
});

interface Creation {
  callbackURL?: string;
  prompt?: string;
  idempotencyKey?: string;
}

const FAMILIES: Record<VideoFamily, (creation?: Creation) => PromiseLike<VideoTask>> = {
  content: ({ callbackURL, prompt = "A fox", idempotencyKey } = {}) =>
    gateway.videos.create(
      {
        model: "local-video-2.0",
        content: [{ type: "text", text: prompt }],
        callback_url: callbackURL,
      },
      { idempotencyKey },
    ),
  image2video: ({ callbackURL, prompt = "The fox turns", idempotencyKey } = {}) =>
    gateway.videos.imageToVideo(
      { model_name: "local-image2video", prompt, image: IMAGE, callback_url: callbackURL },
      { idempotencyKey },
    ),
  "omni-video": ({ callbackURL, prompt = "<<<image_1>>> runs", idempotencyKey } = {}) =>
    gateway.videos.omniVideo(
      {
        model_name: "local-omni-video",
        prompt,
        image_list: [{ image_url: IMAGE }],
        callback_url: callbackURL,
      },
      { idempotencyKey },
    ),
};

/** A server that keeps the bodies of what is posted to it. */
async function callbackServer(): Promise<{ url: string; bodies: string[] }> {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await text(request));
    response.end();
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, bodies };
}

describe.each(Object.keys(FAMILIES) as VideoFamily[])("a %s task over loopback", (family) => {
  const create = FAMILIES[family];

  it("goes from its creation to a file that is downloaded", async () => {
    const { handle, status } = await create();
    expect([handle.family, status]).toEqual([family, "queued"]);
    const seen: string[] = [];
    let last: VideoTask | undefined;
    for await (const task of gateway.videos.watch(handle, { intervalMs: 20 })) {
      last = task;
      seen.push(task.status);
      await emulator.clock.advance(1_000);
    }
    expect(seen).toContain("running");
    expect(seen.at(-1)).toBe("succeeded");
    const file = await gateway.download(last?.videos[0]?.url as string);
    expect(file.contentType).toBe("video/mp4");
    expect((await file.bytes()).length).toBeGreaterThan(1_000);
  });

  it("says why it failed", async () => {
    const { handle } = await create({ prompt: "[[fail]] a fox" });
    await emulator.clock.advance(3_600_000);
    const task = await gateway.videos.retrieve(handle);
    expect(task).toMatchObject({ status: "failed", error: { message: expect.any(String) } });
  });

  it("is announced by callbacks that lead back to it", async () => {
    const { url, bodies } = await callbackServer();
    const { id } = await create({ callbackURL: url });
    await emulator.clock.advance(3_600_000);
    const callbacks = bodies.map((body) => gateway.videos.readCallback(body, { family }));
    expect(callbacks.map(({ status }) => status)).toEqual(["running", "succeeded"]);
    for (const callback of callbacks) {
      expect(callback).toMatchObject({ id, family });
      const { handle } = callback;
      if (handle === undefined) throw new Error("The callback names no task.");
      expect(await gateway.videos.retrieve(handle)).toMatchObject({ id, status: "succeeded" });
    }
  });
});

it.each(["image2video", "omni-video"] as const)("a %s task carries the caller's own id", async (family) => {
  const { url, bodies } = await callbackServer();
  const { id } = await FAMILIES[family]({ callbackURL: url, idempotencyKey: "order-7" });
  const own = await gateway.videos.retrieve({ v: 1, family, id: "order-7" });
  expect(own.raw).toMatchObject({ data: { task_id: id } });
  await emulator.clock.advance(3_600_000);
  expect(gateway.videos.readCallback(bodies[0], { family })).toMatchObject({ id, externalTaskId: "order-7" });
});
