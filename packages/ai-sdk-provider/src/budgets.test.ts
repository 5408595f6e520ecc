import { APICallError } from "@ai-sdk/provider";
import { createBudget } from "@model-gateway/core/budget";
import { priceBook } from "@model-gateway/core/prices";
import {
  embed,
  generateImage,
  experimental_generateSpeech as generateSpeech,
  generateText,
  experimental_generateVideo as generateVideo,
  streamText,
} from "ai";
import { expect, it } from "vitest";
import { onEmulator } from "../test/servers.js";

/** A cent for each request, whatever it is. */
const request = { request: 0.01 };
const prices = priceBook({
  models: {
    ...{ "local-chat": request, "local-embedding": request, "local-image": request, "local-speech": request },
    ...{ "local-image-b64": request, "local-video-2.0": request },
  },
});

it("counts each call for its tag, and sends none that does not fit", async () => {
  const budget = createBudget({ limit: 0.01, currency: "USD", window: "day", per: "tag" });
  const { modelGateway, emulator } = await onEmulator({ prices, budget });
  const model = modelGateway("local-chat");
  const calls: Record<string, (options: { modelGateway: { budgetTag: string } }) => PromiseLike<unknown>> = {
    text: (providerOptions) => generateText({ model, prompt: "Hello", providerOptions, maxRetries: 3 }),
    stream: async (providerOptions) => {
      let failure: unknown;
      const onError = ({ error }: { error: unknown }) => {
        failure = error;
      };
      await streamText({ model, prompt: "Hello", providerOptions, onError, maxRetries: 3 }).consumeStream({
        onError: () => undefined,
      });
      if (failure !== undefined) throw failure;
    },
    vector: (providerOptions) =>
      embed({
        model: modelGateway.embeddingModel("local-embedding"),
        value: "Hello",
        providerOptions,
        maxRetries: 3,
      }),
    image: (providerOptions) =>
      generateImage({
        model: modelGateway.imageModel("local-image"),
        prompt: "A fox",
        providerOptions,
        maxRetries: 3,
      }),
    edit: async (providerOptions) => {
      const images = [Buffer.from(PIXEL, "base64")];
      const edited = await generateImage({
        ...{ model: modelGateway.imageModel("local-image-b64", { shape: "base64" }), providerOptions },
        prompt: { text: "A fox", images },
      });
      expect(edited.warnings).toEqual([]);
    },
    speech: (providerOptions) =>
      generateSpeech({
        model: modelGateway.speechModel("local-speech"),
        text: "Hello",
        providerOptions,
        maxRetries: 3,
      }),
    video: (providerOptions) =>
      generateVideo({
        ...{ model: modelGateway.videoModel("local-video-2.0"), prompt: "A fox", providerOptions },
        poll: { intervalMs: 20 },
      }),
  };
  for (const [budgetTag, call] of Object.entries(calls)) {
    const options = { modelGateway: { budgetTag } };
    const before = emulator.ledger.total().calls;
    await call(options);
    expect(emulator.ledger.total().calls, budgetTag).toBe(before + 1);
    expect(await budget.usage(budgetTag), budgetTag).toMatchObject({ spent: 0.01, reserved: 0 });
    const error = await Promise.resolve(call(options)).then(
      () => undefined,
      (refused: unknown) => refused,
    );
    expect(APICallError.isInstance(error), budgetTag).toBe(true);
    expect(error, budgetTag).toMatchObject({ isRetryable: false, cause: { kind: "budget_exceeded" } });
    expect(emulator.ledger.total().calls, budgetTag).toBe(before + 1);
  }
  expect(await budget.open()).toEqual([]);
  expect(await budget.usage()).toMatchObject({ spent: 0, reserved: 0 });
});

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";
