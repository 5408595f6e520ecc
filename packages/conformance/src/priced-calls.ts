import type { Cost, ModelGateway } from "@model-gateway/core";
import type { BillableCalls } from "@model-gateway/core/prices";
import type { Emulator, Fault } from "@model-gateway/emulator";
import fc from "fast-check";
import { expect } from "vitest";

/** What the emulator's table of prices does not tell, and quotes need. */
export const BOUNDS = {
  "local-chat": { inputImageTokens: 255, maxOutputTokens: 4_096 },
  "local-reasoner": { maxOutputTokens: 4_096 },
  // Nobody pays for its prompts, which ratios cannot say.
  "local-image": { input: 0, imageTokens: { pixels: 256 } },
  "local-image-b64": {
    imageTokens: {
      ...{ "1024x1024 low": 272, "1024x1024 medium": 1_056 },
      ...{ "1536x1024 low": 400, "1024x1536 low": 408 },
    },
    partialImageTokens: 100,
    inputImageTokens: 1_000,
  },
  "local-chat-image": { imageTokens: 1_056, maxOutputTokens: 500 },
};

/** A call with what it is quoted as, and what it says that it cost. */
export interface PricedCall {
  name: keyof BillableCalls;
  body: object;
  run(gateway: ModelGateway, emulator: Emulator): Promise<Cost | undefined>;
  /** Nothing of what is asked for is left to the model: the quote is as good as the price. */
  settled: boolean;
}

const prompt = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
  .map((text) => `Say ${text.replaceAll(/[[\]]/g, "")}`);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
/** As JSON has it: without what is undefined. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const chat: fc.Arbitrary<PricedCall> = fc
  .record({
    model: fc.constantFrom("local-chat", "local-reasoner"),
    text: prompt,
    system: optional(prompt),
    max_tokens: optional(fc.integer({ min: 1, max: 300 })),
    n: optional(fc.integer({ min: 1, max: 3 })),
    streamed: fc.boolean(),
    tools: fc.boolean(),
  })
  .map(({ text, system, streamed, tools, ...options }) => {
    const messages = [
      ...(system === undefined ? [] : [{ role: "system" as const, content: system }]),
      { role: "user" as const, content: text },
    ];
    const tool = {
      name: "find",
      description: text,
      parameters: { type: "object", properties: { [text]: {} } },
    };
    const body = plain({
      ...{ ...options, messages },
      ...(tools && { tools: [{ type: "function" as const, function: tool }] }),
    });
    return {
      name: "chat.completions.create",
      body,
      settled: false,
      async run({ chat: { completions } }) {
        if (!streamed) return (await completions.create({ ...body, stream: false })).cost;
        const stream = await completions.create({
          ...{ ...body, stream: true as const, stream_options: { include_usage: true } },
        });
        expect(stream.cost).toBeUndefined();
        const whole = await stream.finalCompletion();
        expect(whole.cost).toEqual(stream.cost);
        // A stream that was cut behind its finish reason is whole, and says nothing of what it cost.
        return whole.usage ? stream.cost : untold(stream.cost);
      },
    };
  });

const embeddings: fc.Arbitrary<PricedCall> = fc
  .record({
    input: fc.array(prompt, { minLength: 1, maxLength: 9 }),
    batchSize: fc.integer({ min: 1, max: 9 }),
  })
  .map(({ input, batchSize }) => {
    const body = { model: "local-embedding", input };
    return {
      name: "embeddings.create",
      body,
      settled: false,
      run: async (client) => (await client.embeddings.create(body, { batchSize })).cost,
    };
  });

const moderation: fc.Arbitrary<PricedCall> = prompt.map((input) => {
  const body = { model: "local-moderation", input };
  return {
    name: "moderations.create",
    body,
    settled: false,
    run: async (client) => (await client.moderations.create(body)).cost,
  };
});

const speech: fc.Arbitrary<PricedCall> = prompt.map((input) => {
  const body = { model: "local-speech", input, format: "pcm" };
  return {
    name: "audio.speech.create",
    body,
    settled: true,
    async run(client) {
      const result = await client.audio.speech.create(body);
      await result.bytes();
      return result.cost;
    },
  };
});

const referenceImage: fc.Arbitrary<PricedCall> = fc
  .record({
    prompt,
    size: fc.constantFrom("256x256", "512x256", "300x280", "2K"),
    seed: optional(fc.nat(9)),
    streamed: fc.boolean(),
  })
  .map(({ streamed, ...request }) => {
    const body = plain({ model: "local-image", ...request });
    return {
      name: streamed ? "images.stream" : "images.generate",
      body,
      settled: true,
      run: async ({ images }) => {
        if (!streamed) return (await images.generate(body)).cost;
        const stream = await images.stream(body);
        let finished = false;
        for await (const event of stream) if (event.type === "finished") finished = true;
        return finished ? stream.cost : untold(stream.cost);
      },
    };
  });

const base64Image: fc.Arbitrary<PricedCall> = fc
  .record({ prompt: fc.constant("A red fox"), n: fc.integer({ min: 1, max: 2 }), partial_images: fc.nat(2) })
  .map(({ partial_images, ...request }) => {
    const streamed = partial_images > 0;
    const body = {
      ...{ ...request, model: "local-image-b64", size: "1024x1024", quality: "low" as const },
      ...(streamed && { partial_images }),
    };
    return {
      name: streamed ? "images.stream" : "images.generate",
      body,
      settled: true,
      run: async ({ images }) => {
        if (!streamed) return (await images.generate(body)).cost;
        const stream = await images.stream(body);
        let completed = 0;
        for await (const event of stream) if (event.type === "completed") completed++;
        return completed === request.n ? stream.cost : untold(stream.cost);
      },
    };
  });

const video: fc.Arbitrary<PricedCall> = fc
  .record({
    text: prompt,
    model: fc.constantFrom("local-video-2.0", "local-video-1.5-pro"),
    fails: fc.boolean(),
    resolution: fc.constantFrom("480p", "720p", "1080p"),
    ratio: fc.constantFrom("16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "adaptive"),
    duration: fc.integer({ min: 4, max: 12 }),
  })
  .map(({ text, fails, ...options }) => {
    const marked = fails ? `${text} [[fail]]` : text;
    const body = { ...options, content: [{ type: "text" as const, text: marked }] };
    return {
      name: "videos.create",
      body,
      settled: true,
      run: ({ videos }, emulator) => ended(emulator, videos, () => videos.create(body)),
    };
  });

const omniVideo: fc.Arbitrary<PricedCall> = fc
  .record({
    prompt,
    mode: optional(fc.constantFrom("std", "pro")),
    duration: optional(fc.constantFrom("5", "10")),
    aspect_ratio: optional(fc.constantFrom("16:9", "9:16", "1:1")),
  })
  .map((options) => {
    const body = plain({ ...options, model_name: "local-omni-video" });
    return {
      name: "videos.omniVideo",
      body,
      settled: true,
      run: ({ videos }, emulator) => ended(emulator, videos, () => videos.omniVideo(body)),
    };
  });

type Videos = ModelGateway["videos"];

/** A stream that was cut near its end may have said less than it cost. */
function untold(cost: Cost | undefined): never {
  expect(cost).toBeUndefined();
  throw Object.assign(new Error("Nobody knows what it cost."), { kind: "untold" });
}

/** Another process polls: it has the handle and nothing else. */
async function ended(
  { clock }: Emulator,
  videos: Videos,
  create: () => ReturnType<Videos["create"]>,
): Promise<Cost | undefined> {
  const { handle, cost } = await create();
  expect(cost).toBeUndefined();
  expect(handle.cost).toMatchObject({ source: "estimate", currency: "USD" });
  for (;;) {
    const task = await videos.retrieve(plain(handle));
    if (task.status === "succeeded") return task.cost;
    if (task.status !== "queued" && task.status !== "running") {
      expect(task.cost).toBeUndefined();
      return { amount: 0, units: 0, currency: "USD", source: "gateway" };
    }
    await clock.advance(1);
  }
}

export const fault: fc.Arbitrary<Fault> = fc.constantFrom<Fault>(
  { kind: "status", status: 500 },
  { kind: "status", status: 502 },
  { kind: "status", status: 400 },
  { kind: "delay", delayMs: 5 },
  { kind: "slow-stream", delayMs: 1 },
  { kind: "cut-stream" },
  { kind: "malformed-json" },
  { kind: "html" },
  { kind: "drop-before" },
  { kind: "drop-after" },
);

/** Calls of all kinds, bounded by `BOUNDS`. */
export const pricedCall = fc.oneof(
  { weight: 6, arbitrary: chat },
  { weight: 4, arbitrary: embeddings },
  { weight: 2, arbitrary: moderation },
  { weight: 1, arbitrary: speech },
  { weight: 3, arbitrary: referenceImage },
  { weight: 1, arbitrary: base64Image },
  { weight: 3, arbitrary: video },
  { weight: 2, arbitrary: omniVideo },
);
