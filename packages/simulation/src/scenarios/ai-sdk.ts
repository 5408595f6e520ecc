import { createModelGateway, oncePerToolCall } from "@model-gateway/ai-sdk-provider";
import { GatewayError } from "@model-gateway/core";
import type { World } from "@model-gateway/emulator/simulation";
import {
  AISDKError,
  embedMany,
  generateImage,
  generateSpeech,
  experimental_generateVideo as generateVideo,
  streamText,
} from "ai";

const QUESTION = "Which animals live in the forest, and what do they eat?";
/** Longer than a call of embeddings takes with all of its attempts. */
const OTHERS_MS = 600_000;
const BILLABLE = new Set(["image", "speech", "video"]);

/** What the SDK buys of our provider, with its own retries around it: each thing is paid once. */
export async function aiSdk(world: World): Promise<void> {
  const provider = createModelGateway({ apiKey: world.apiKey, baseURL: world.baseURL, fetch: world.fetch });
  const maxRetries = world.count("retries", 0, 2);
  const prompt = "a fox";
  const calls: Record<string, () => Promise<unknown>> = {
    async image() {
      const { image } = await generateImage({ model: provider.image("local-image"), prompt, maxRetries });
      if (image.uint8Array.length === 0) throw new Error("an image without bytes counts as a success");
    },
    async speech() {
      const model = provider.speech("local-speech");
      const { audio } = await generateSpeech({
        model,
        text: prompt,
        voice: "alloy",
        outputFormat: "wav",
        maxRetries,
      });
      if (audio.uint8Array.length === 0) throw new Error("speech without a sound counts as a success");
    },
    async video() {
      const model = provider.video("local-video-2.0");
      const poll = { intervalMs: 5_000, timeoutMs: 3_600_000 };
      const { videos } = await generateVideo({ model, prompt, duration: 5, poll, maxRetries });
      if (!videos[0]?.uint8Array.length) throw new Error("a film without bytes counts as a success");
    },
    async embeddings() {
      const values = Array.from({ length: world.count("texts", 1, 150) }, (_, index) => `text ${index}`);
      const model = provider.embedding("local-embedding");
      const providerOptions = { modelGateway: { dimensions: 16 } };
      const { embeddings } = await embedMany({ model, values, maxRetries, providerOptions });
      if (embeddings.length !== values.length) throw new Error("there are fewer vectors than texts");
    },
    async text() {
      let text = "";
      let broken: unknown;
      const result = streamText({
        ...{ model: provider("local-chat"), prompt: QUESTION, maxRetries },
        onError({ error }) {
          broken ??= error;
        },
      });
      for await (const delta of result.textStream) text += delta;
      if (broken !== undefined) throw broken;
      if ((await result.finishReason) !== "stop" || !text.endsWith("."))
        throw new Error(`a stream that was cut counts as whole: ${text}`);
    },
  };
  const names = Object.keys(calls);
  const buyers = Array.from({ length: world.count("calls", 1, 4) }, async (_, index) => {
    const name = world.pick(`call ${index}`, names);
    await world.sleep(world.random(`start ${index}`)() * 2_000);
    const call = async () => {
      await calls[name]?.();
    };
    // The others are repeated by design, since they cost little.
    const buy = BILLABLE.has(name) ? world.intend(`${name} ${index}`, asTool(call)) : call();
    const told = await buy.then(
      () => "done",
      (thrown: unknown) => {
        const error = ofGateway(thrown);
        // What the SDK makes of a stream that broke has no cause.
        if (AISDKError.isInstance(error)) return error.name;
        if (!GatewayError.isInstance(error)) throw error;
        return `${error.kind}${error.maybeProcessed ? ", may be paid" : ""}`;
      },
    );
    world.trace.add("buyer", `${name} ${index}: ${told}`);
  });
  await Promise.all(buyers);
  // `embedMany` tells of the first of its calls that fails, and leaves the others to end by themselves.
  await world.sleep(OTHERS_MS);

  /** Runs as a tool call does whose messages come a second time, whatever came of the first. */
  function asTool(call: () => Promise<void>): () => Promise<void> {
    const run = oncePerToolCall(call);
    const options = { toolCallId: "call", messages: [], context: undefined };
    return async () => {
      await run(undefined, options).catch(() => {});
      await run(undefined, options).catch((error) => Promise.reject(ofGateway(error)));
    };
  }
}

/** The client's error below what the SDK wraps around it, unless our provider says of what was bought that it was paid. */
function ofGateway(error: unknown): unknown {
  if (GatewayError.isInstance(error) || !(error instanceof Error) || "maybeProcessed" in error) return error;
  const { lastError, cause } = error as Error & { lastError?: unknown };
  const below = lastError ?? cause;
  return below === undefined ? error : ofGateway(below);
}
