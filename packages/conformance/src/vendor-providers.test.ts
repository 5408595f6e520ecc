import { type AlibabaProvider, createAlibaba } from "@ai-sdk/alibaba";
import { type ByteDanceProvider, createByteDance } from "@ai-sdk/bytedance";
import { createEmulator, type Emulator, type EmulatorOptions } from "@model-gateway/emulator";
import {
  embedMany,
  generateImage,
  generateText,
  experimental_generateVideo as generateVideo,
  isStepCount,
  streamText,
  tool,
} from "ai";
import { KlingAPI } from "kling-api";
import OpenAI from "openai";
import { createQwen } from "qwen-ai-provider-v5";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

const PACES = ["events", "whole", "bytes", "cuts"] as const;
/** Tasks end as soon as anybody asks, so that how fast the machine is does not matter. */
const AT_ONCE = { videoTimings: { queuedMs: 0, runningMs: 0 } };

async function started(options: EmulatorOptions): Promise<{ emulator: Emulator; origin: string }> {
  const emulator = await createEmulator({ ...AT_ONCE, ...options }).listen();
  onTestFinished(() => emulator.close());
  return { emulator, origin: new URL(emulator.url).origin };
}

/** The SDK downloads from no private address by itself. */
const download = async ({ url }: { url: URL }) => {
  const response = await fetch(url);
  return {
    data: new Uint8Array(await response.arrayBuffer()),
    mediaType: response.headers.get("content-type") ?? undefined,
  };
};

const isFilm = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes?.subarray(4, 8)) === "ftyp";

async function failureOf(work: PromiseLike<unknown>): Promise<Error & { statusCode?: number }> {
  return Promise.resolve(work).then(
    () => {
      throw new Error("It did not fail.");
    },
    (error: Error) => error,
  );
}

describe("@ai-sdk/bytedance on the profile ark", () => {
  const onArk = async (key = "sk-emulator") => {
    const { emulator, origin } = await started({ profile: "ark" });
    return { emulator, bytedance: createByteDance({ apiKey: key, baseURL: `${origin}/api/v3` }) };
  };
  const film = (bytedance: ByteDanceProvider, prompt: string, model = "local-video-2.0") =>
    generateVideo({
      ...{
        model: bytedance.video(model),
        prompt,
        duration: 4,
        resolution: "864x496",
        maxRetries: 0,
        download,
      },
      providerOptions: { bytedance: { pollIntervalMs: 1 } },
    });

  it("orders a film, polls, and downloads it", async () => {
    const { emulator, bytedance } = await onArk();
    const { video, providerMetadata, warnings } = await film(bytedance, "A red fox in the snow");
    expect([video.mediaType, isFilm(video.uint8Array), warnings]).toEqual(["video/mp4", true, []]);
    const [task] = emulator.videos.list();
    const [charge] = emulator.ledger.list();
    expect(providerMetadata["bytedance"]).toMatchObject({
      taskId: task?.id,
      usage: { completion_tokens: charge?.counted.videoTokens },
    });
  });

  it("draws", async () => {
    const { emulator, bytedance } = await onArk();
    const { image } = await generateImage({
      ...{ model: bytedance.image("local-image"), prompt: "A red fox", size: "512x512", maxRetries: 0 },
    });
    expect(image.mediaType).toMatch(/^image\/(png|jpeg)$/);
    expect(emulator.ledger.list()).toMatchObject([{ model: "local-image", counted: { images: 1 } }]);
  });

  it("is told why it gets none", async () => {
    const { emulator, bytedance } = await onArk();
    // It repeats of the task what it knows, which the reason is no part of.
    expect((await failureOf(film(bytedance, "a boat [[fail]]"))).message).toContain('"status":"failed"');
    const unknown = await failureOf(film(bytedance, "a boat", "none"));
    expect([unknown.statusCode, unknown.message]).toEqual([404, expect.stringContaining("Request ID: ")]);
    const limited = await failureOf(film(bytedance, "[[429]] a boat"));
    expect(limited.statusCode).toBe(429);
    const { bytedance: stranger } = await onArk("sk-stranger");
    expect((await failureOf(film(stranger, "a boat"))).statusCode).toBe(401);
    expect(emulator.videos.list()).toHaveLength(1);
  });
});

describe("@ai-sdk/alibaba on the profile bailian", () => {
  const onBailian = async (options: EmulatorOptions = {}, key = "sk-emulator") => {
    const { emulator, origin } = await started({
      profile: "bailian",
      models: [
        { id: "wan2.6-t2v", like: "local-video-2.0" },
        { id: "wan2.6-i2v", like: "local-image2video" },
        { id: "wan2.7-t2v", like: "local-omni-video" },
      ],
      ...options,
    });
    const alibaba = createAlibaba({
      ...{ apiKey: key, baseURL: `${origin}/compatible-mode/v1` },
      ...{ videoBaseURL: origin, embeddingBaseURL: `${origin}/api/v1` },
    });
    return { emulator, alibaba };
  };
  const film = (
    alibaba: AlibabaProvider,
    prompt: string,
    model: string,
    resolution?: `${number}x${number}`,
  ) =>
    generateVideo({
      ...{ model: alibaba.video(model), prompt, duration: 4, maxRetries: 0, download },
      ...{ poll: { intervalMs: 1 }, ...(resolution && { resolution }) },
    });

  it.each([
    ["wan2.6-t2v", "832x480", "864*496"],
    ["wan2.7-t2v", "1280x720", "1280*720"],
  ] as const)("orders a film of %s, polls, and downloads it", async (model, resolution, size) => {
    const { emulator, alibaba } = await onBailian();
    const { video, providerMetadata } = await film(alibaba, "A red fox in the snow", model, resolution);
    expect([video.mediaType, isFilm(video.uint8Array)]).toEqual(["video/mp4", true]);
    const [task] = emulator.videos.list({ model });
    expect(providerMetadata["alibaba"]).toMatchObject({ taskId: task?.id, usage: { duration: 4, size } });
  });

  it("orders one that begins with a picture", async () => {
    const { emulator, alibaba } = await onBailian();
    const { video } = await generateVideo({
      ...{ model: alibaba.video("wan2.6-i2v"), maxRetries: 0, download, poll: { intervalMs: 1 } },
      prompt: { text: "it moves", image: "https://example.com/cat.png" },
    });
    expect(isFilm(video.uint8Array)).toBe(true);
    expect(emulator.journal.list().find(({ method }) => method === "POST")?.body).toMatchObject({
      input: { img_url: "https://example.com/cat.png" },
    });
  });

  it("is told why it gets none", async () => {
    const { emulator, alibaba } = await onBailian();
    const failed = await failureOf(film(alibaba, "a boat [[fail]]", "wan2.6-t2v"));
    expect(failed.message).toContain("asked for a failure");
    const unknown = await failureOf(film(alibaba, "a boat", "wan9-t2v"));
    expect([unknown.statusCode, unknown.message]).toEqual([400, expect.stringContaining("does not exist")]);
    const { alibaba: stranger } = await onBailian({}, "sk-stranger");
    const refused = await failureOf(film(stranger, "a boat", "wan2.6-t2v"));
    expect([refused.statusCode, refused.message]).toEqual([
      401,
      expect.stringContaining("does not exist or"),
    ]);
    expect(emulator.videos.list()).toHaveLength(1);
  });

  it("chats, calls tools, and knows what it was counted", async () => {
    const { emulator, alibaba } = await onBailian();
    const { text, usage } = await generateText({
      model: alibaba("local-chat"),
      prompt: "What is 6 times 7?",
    });
    expect(text).toBe("6 * 7 = 42");
    const [charge] = emulator.ledger.list();
    expect([usage.inputTokens, usage.outputTokens]).toEqual([
      charge?.counted.inputTokens,
      charge?.counted.outputTokens,
    ]);
    const weather = tool({
      description: "The weather of a city",
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => ({ city, celsius: 21 }),
    });
    const { steps } = await generateText({
      ...{ model: alibaba("local-chat"), prompt: "What is the weather in Oslo?", tools: { weather } },
      stopWhen: isStepCount(2),
    });
    expect(steps[0]?.toolCalls).toMatchObject([{ toolName: "weather", input: { city: "Oslo" } }]);
    expect(steps[1]?.text).toContain("21");
  });

  it.each(PACES)("reads streams at the pace %s, thoughts and usage included", async (pace) => {
    const { emulator, alibaba } = await onBailian({ pace });
    const result = streamText({ model: alibaba("local-reasoner"), prompt: "What is 6 times 7?" });
    let said = "";
    for await (const piece of result.textStream) said += piece;
    const [charge] = emulator.ledger.list();
    expect(said).toBe("6 * 7 = 42");
    expect(await result.reasoningText).not.toBe("");
    expect(await result.finishReason).toBe("stop");
    expect((await result.usage).outputTokens).toBe(charge?.counted.outputTokens);
  });

  it("embeds, and the vectors are those of the API itself", async () => {
    const { emulator, alibaba } = await onBailian();
    const values = ["Orders ship within two days.", "A boat"];
    const { embeddings, usage } = await embedMany({
      ...{ model: alibaba.embeddingModel("local-embedding"), values },
      providerOptions: { alibaba: { dimension: 256 } },
    });
    const openai = new OpenAI({ apiKey: "sk-emulator", baseURL: emulator.url });
    const described = await openai.embeddings.create({
      ...{ model: "local-embedding", input: values, dimensions: 256, encoding_format: "float" },
    });
    expect(embeddings).toEqual(described.data.map(({ embedding }) => embedding));
    expect(usage.tokens).toBe(described.usage.total_tokens);
    const failed = await failureOf(
      embedMany({
        model: alibaba.embeddingModel("local-embedding"),
        values: ["a", "[[500]]"],
        maxRetries: 0,
      }),
    );
    expect(failed.statusCode).toBe(500);
  });

  it("is told why chat is refused, in the other envelope", async () => {
    const { alibaba } = await onBailian();
    const unknown = await failureOf(generateText({ model: alibaba("none"), prompt: "a", maxRetries: 0 }));
    expect([unknown.statusCode, unknown.message]).toEqual([404, expect.stringContaining("does not exist")]);
    const failed = await failureOf(
      generateText({ model: alibaba("local-chat"), prompt: "[[fail]] a", maxRetries: 0 }),
    );
    expect(failed.statusCode).toBe(500);
    const { alibaba: stranger } = await onBailian({}, "sk-stranger");
    const refused = await failureOf(
      generateText({ model: stranger("local-chat"), prompt: "a", maxRetries: 0 }),
    );
    expect(refused.statusCode).toBe(401);
  });
});

describe("qwen-ai-provider-v5 on the profile bailian", () => {
  it.each(PACES)("chats and streams at the pace %s", async (pace) => {
    const { origin } = await started({ profile: "bailian", pace });
    const qwen = createQwen({ apiKey: "sk-emulator", baseURL: `${origin}/compatible-mode/v1` });
    const { text } = await generateText({ model: qwen("local-chat"), prompt: "What is 6 times 7?" });
    const result = streamText({ model: qwen("local-chat"), prompt: "What is 6 times 7?" });
    let said = "";
    for await (const piece of result.textStream) said += piece;
    expect([text, said, await result.finishReason]).toEqual(["6 * 7 = 42", "6 * 7 = 42", "stop"]);
  });
});

describe("kling-api on the profile kling", () => {
  const onKling = async (accessKey = "sk-emulator") => {
    const { emulator, origin } = await started({
      profile: "kling",
      models: [{ id: "kling-v1", like: "local-image2video" }],
    });
    const kling = new KlingAPI({ accessKey, secretKey: "any" });
    // It takes no address without TLS, so that its requests are led here one step later.
    kling.client.defaults.baseURL = origin;
    return { emulator, kling };
  };
  const quietly = { interval: 1, showSpinner: false };

  it("signs, orders a film from text, polls, and downloads it", async () => {
    const { emulator, kling } = await onKling();
    const { data } = await kling.textToVideo({ model_name: "kling-v1", prompt: "A red fox", duration: "5" });
    const done = await kling.waitForVideoResult(
      data.task_id,
      (id: string) => kling.queryTextToVideoTask(id),
      quietly,
    );
    const film = await fetch(done.data.task_result?.videos?.[0]?.url ?? "");
    expect(isFilm(new Uint8Array(await film.arrayBuffer()))).toBe(true);
    expect(emulator.videos.list({ family: "text2video" }).map(({ id }) => id)).toEqual([data.task_id]);
    expect(emulator.ledger.total("sk-emulator").calls).toBe(1);
  });

  it("is told why it gets none", async () => {
    const { kling } = await onKling();
    const { data } = await kling.textToVideo({ model_name: "kling-v1", prompt: "a boat [[fail]]" });
    const failed = await failureOf(
      kling.waitForVideoResult(data.task_id, (id: string) => kling.queryTextToVideoTask(id), quietly),
    );
    expect(failed.message).toContain("asked for a failure");
    expect(await failureOf(kling.queryTextToVideoTask("none"))).toMatchObject({ code: 1203 });
    const unknown = kling.textToVideo({ model_name: "kling-v1-6", prompt: "a boat" });
    expect(await failureOf(unknown)).toMatchObject({ code: 1203 });
    const { kling: stranger } = await onKling("sk-stranger");
    const refused = stranger.textToVideo({ model_name: "kling-v1", prompt: "a boat" });
    expect(await failureOf(refused)).toMatchObject({ code: 1002 });
  });
});

describe("videos of the openai package on the profile newapi", () => {
  const onNewAPI = async (key = "sk-emulator") => {
    const { emulator } = await started({
      profile: "newapi",
      models: [{ id: "sora-2", like: "local-video-2.0" }],
    });
    return { emulator, openai: new OpenAI({ apiKey: key, baseURL: emulator.url, maxRetries: 0 }) };
  };
  const ended = async (openai: OpenAI, id: string) => {
    for (;;) {
      const video = await openai.videos.retrieve(id);
      if (video.status === "completed" || video.status === "failed") return video;
    }
  };

  it("orders a film with a picture, polls, and downloads it", async () => {
    const { emulator, openai } = await onNewAPI();
    const created = await openai.videos.create({
      ...{ model: "sora-2", prompt: "A red fox in the snow", seconds: "4", size: "1280x720" },
      input_reference: new File([Buffer.from("not a picture that anybody reads")], "a.png", {
        type: "image/png",
      }),
    });
    expect(created).toMatchObject({ object: "video", seconds: "4", size: "1280x720" });
    expect(emulator.videos.list().map(({ id }) => id)).toEqual([created.id]);
    const video = await ended(openai, created.id);
    expect([video.status, video.progress]).toEqual(["completed", 100]);
    const whole = new Uint8Array(await (await openai.videos.downloadContent(video.id)).arrayBuffer());
    expect(isFilm(whole)).toBe(true);
    const part = await openai.videos.downloadContent(video.id, undefined, {
      headers: { range: "bytes=4-7" },
    });
    expect([part.status, await part.text()]).toEqual([206, "ftyp"]);
  });

  it("is told why it gets none", async () => {
    const { openai } = await onNewAPI();
    const failing = await openai.videos.create({ model: "sora-2", prompt: "a boat [[fail]]" });
    const failed = await ended(openai, failing.id);
    expect(failed.error?.message).toContain("asked for a failure");
    const early = await failureOf(openai.videos.downloadContent(failing.id));
    expect(early.message).toContain("current status: FAILURE");
    const unknown = await failureOf(openai.videos.create({ model: "none" as "sora-2", prompt: "a boat" }));
    expect(unknown.message).toMatch(/^503 /);
    const missing = await failureOf(openai.videos.retrieve("task_none"));
    expect(missing.message).toMatch(/^400 /);
    const { openai: stranger } = await onNewAPI("sk-stranger");
    const refused = await failureOf(stranger.videos.create({ model: "sora-2", prompt: "a boat" }));
    expect(refused.message).toMatch(/^401 /);
  });
});
