import { ModelGateway, NotFoundError, VideoTaskFailedError } from "@model-gateway/core";
import { createEmulator, type Emulator } from "@model-gateway/emulator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let emulator: Emulator;
let gateway: ModelGateway;

beforeAll(async () => {
  emulator = await createEmulator({ seed: 1 }).listen({ port: 0 });
  gateway = new ModelGateway({
    apiKey: "sk-emulator",
    baseURL: emulator.urls.general,
    endpoints: {
      cdn: emulator.urls.cdn,
      specialized: emulator.urls.specialized,
      specializedCdn: emulator.urls.specializedCdn,
    },
  });
});

afterAll(() => emulator.close());

describe("client and emulator over loopback", () => {
  it("list models", async () => {
    const models = await gateway.models.list();
    expect(models.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["local-chat", "local-embedding", "local-video-2.0"]),
    );
  });

  it("chat, whole and streamed, to the same text", async () => {
    const body = {
      model: "local-chat",
      messages: [{ role: "user" as const, content: "What is 6 times 7?" }],
    };
    const whole = await gateway.chat.completions.create(body);
    const stream = await gateway.chat.completions.create({ ...body, stream: true });
    const streamed = await stream.finalCompletion();
    expect(whole.choices[0]?.message.content).toContain("42");
    expect(streamed.choices[0]?.message.content).toBe(whole.choices[0]?.message.content);
  });

  it("embed more texts than one request takes, in order", async () => {
    const input = Array.from({ length: 100 }, (_, index) => `document ${index}`);
    const { data, usage } = await gateway.embeddings.create({ model: "local-embedding", input });
    const [alone] = (await gateway.embeddings.create({ model: "local-embedding", input: "document 77" }))
      .data;
    expect(data).toHaveLength(100);
    expect(data[77]?.embedding).toEqual(alone?.embedding);
    expect(usage?.total_tokens).toBeGreaterThan(100);
  });

  it("take a video task from its creation to a file that is downloaded", async () => {
    const created = await gateway.videos.create({
      model: "local-video-2.0",
      content: [{ type: "text", text: "A red fox in the snow" }],
      duration: 4,
      resolution: "480p",
      return_last_frame: true,
    });
    expect(created.status).toBe("queued");
    const seen: string[] = [];
    for await (const task of gateway.videos.watch(created.handle, { intervalMs: 20 })) {
      seen.push(task.status);
      await emulator.clock.advance(1_000);
      if (task.status !== "succeeded") continue;
      const file = await gateway.download(task.videos[0]?.url as string);
      expect(file.contentType).toBe("video/mp4");
      expect(new TextDecoder().decode((await file.bytes()).subarray(4, 8))).toBe("ftyp");
      expect(task.lastFrameURL).toMatch(/^http/);
    }
    expect(seen.at(0)).toBe("queued");
    expect(seen).toContain("running");
    expect(seen.at(-1)).toBe("succeeded");
  });

  it("tell why a task failed", async () => {
    const { handle } = await gateway.videos.create({
      model: "local-video-2.0",
      content: [{ type: "text", text: "[[fail]] a fox" }],
    });
    const waiting = gateway.videos.wait(handle, { intervalMs: 20 }).catch((error: unknown) => error);
    await emulator.clock.advance(60_000);
    const error = await waiting;
    expect(error).toBeInstanceOf(VideoTaskFailedError);
    expect((error as VideoTaskFailedError).task.error?.message).toBeTruthy();
  });

  it("reach the same gateway by all four addresses", async () => {
    await gateway.models.list({ route: "cdn" });
    await gateway.models.list({ route: "failover" });
    const bases = emulator.journal.list().map(({ base }) => base);
    expect(bases).toContain("cdn");
    expect(bases).toContain("general");
  });

  it("agree on errors", async () => {
    const messages = [{ role: "user" as const, content: "hi" }];
    await expect(gateway.chat.completions.create({ model: "nobody", messages })).rejects.toThrow(
      NotFoundError,
    );
    const stranger = new ModelGateway({ apiKey: "sk-stranger", baseURL: emulator.url });
    await expect(stranger.models.list()).rejects.toMatchObject({ kind: "authentication" });
    await expect(
      gateway.chat.completions.create({
        model: "local-chat",
        messages: [{ role: "robot" as "user", content: "x" }],
      }),
    ).rejects.toMatchObject({ kind: "bad_request" });
  });
});
