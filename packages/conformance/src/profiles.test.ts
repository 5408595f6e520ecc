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

const CREATE = {
  content: (gateway: ModelGateway, prompt: string) =>
    gateway.videos.create({
      model: "local-video-2.0",
      content: [{ type: "text", text: prompt }],
      duration: 5,
    }),
  image2video: (gateway: ModelGateway, prompt: string) =>
    gateway.videos.imageToVideo({
      ...{ model_name: "local-image2video", prompt, duration: "5" },
      image: "https://example.com/cat.png",
    }),
  "omni-video": (gateway: ModelGateway, prompt: string) =>
    gateway.videos.omniVideo({ model_name: "local-omni-video", prompt, duration: "5", aspect_ratio: "16:9" }),
};

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
});
