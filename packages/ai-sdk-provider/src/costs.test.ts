import { priceBook } from "@model-gateway/core/prices";
import {
  embed,
  embedMany,
  generateImage,
  experimental_generateSpeech as generateSpeech,
  generateText,
  streamText,
} from "ai";
import { expect, it } from "vitest";
import { onEmulator } from "../test/servers.js";

/** The emulator's own prices. */
const prices = priceBook({
  models: {
    "local-chat": { input: 0.5, output: 2 },
    "local-embedding": { input: 0.1 },
    "local-image": { output: 2 },
    "local-image-b64": { input: 8, output: 32 },
    "local-speech": { characters: 16 },
  },
});

interface Told {
  cost?: { units: number };
  images?: Told[];
}

/** What the metadata of a call says that it cost, in units; of images, the first one says it. */
function unitsOf(metadata: unknown): number {
  const told = (metadata as { modelGateway: Told }).modelGateway;
  const { cost } = told.images?.[0] ?? told;
  expect(cost).toMatchObject({ source: "price-book", currency: "USD" });
  return cost?.units ?? 0;
}

it("tells what each call cost, to the unit of the ledger", async () => {
  const { modelGateway, emulator } = await onEmulator({ prices });
  let known = 0;
  const ledgerGrewBy = () => {
    const { units } = emulator.ledger.total();
    const grown = units - known;
    known = units;
    return grown;
  };
  const model = modelGateway("local-chat");
  const text = await generateText({ model, prompt: "What is 6 times 7?" });
  expect(unitsOf(text.providerMetadata)).toBe(ledgerGrewBy());
  const stream = streamText({ model, prompt: "What is 6 times 7?" });
  await stream.consumeStream();
  expect(unitsOf(await stream.providerMetadata)).toBe(ledgerGrewBy());
  const embedding = modelGateway.embeddingModel("local-embedding");
  expect(unitsOf((await embed({ model: embedding, value: "A fox" })).providerMetadata)).toBe(ledgerGrewBy());
  const many = await embedMany({ model: embedding, values: ["A fox", "An owl"] });
  expect(unitsOf(many.providerMetadata)).toBe(ledgerGrewBy());
  const image = await generateImage({
    ...{ model: modelGateway.imageModel("local-image"), prompt: "A fox", size: "256x256" },
  });
  expect(unitsOf(image.providerMetadata)).toBe(ledgerGrewBy());
  const partial = modelGateway.imageModel("local-image-b64", { shape: "base64", onPartialImage: () => {} });
  const streamed = await generateImage({ model: partial, prompt: "A fox", size: "1024x1024" });
  expect(unitsOf(streamed.providerMetadata)).toBe(ledgerGrewBy());
  const speech = modelGateway.speechModel("local-speech");
  const spoken = await generateSpeech({ model: speech, text: "Hello", outputFormat: "wav" });
  expect(unitsOf(spoken.providerMetadata)).toBe(ledgerGrewBy());
});
