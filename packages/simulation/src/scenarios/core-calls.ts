import { type Cost, ModelGateway } from "@model-gateway/core";
import { priceBook, readGatewayPricing } from "@model-gateway/core/prices";
import { createEmulator } from "@model-gateway/emulator";
import type { World } from "@model-gateway/emulator/simulation";
import { told } from "../told.js";

const CHAT = { model: "local-chat", messages: [{ role: "user" as const, content: "What is a fox?" }] };
const EMBEDDING_MODEL = "local-embedding";
const BILLABLE = new Set(["image", "speech", "video"]);
const WORDS = ["fox", "owl", "pine", "river", "stone"];

/** What the gateway of every world asks for. */
const PRICES = await readPrices();

/**
 * Each call of the client that costs something, some of them at once, over one client. What it says that a call cost is what
 * the gateway charged the key of that call.
 */
export async function coreCalls(world: World): Promise<void> {
  const { apiKey, baseURL, fetch } = world;
  const maxRetries = world.count("retries", 0, 3);
  const client = new ModelGateway({ apiKey, baseURL, fetch, maxRetries, prices: PRICES });
  const calls: Record<string, (gateway: ModelGateway) => Promise<Cost | undefined>> = {
    async chat(gateway) {
      const { choices, cost } = await gateway.chat.completions.create(CHAT);
      if (!choices[0]?.message.content) throw new Error("a completion without text counts as a success");
      return cost;
    },
    async embeddings(gateway) {
      const input = Array.from(
        { length: world.count("texts", 1, 30) },
        (_, index) => `${WORDS[index % 5]} ${index}`,
      );
      const expected = await vectorsOf(world, input);
      const { data, cost } = await gateway.embeddings.create(
        { model: EMBEDDING_MODEL, input },
        { batchSize: world.count("batch", 1, 10), concurrency: world.count("at once", 1, 4) },
      );
      if (data.length !== input.length) throw new Error("there are fewer or more vectors than texts");
      const wrong = data.findIndex(({ embedding }, at) => embedding[0] !== expected[at]?.[0]);
      if (wrong !== -1) throw new Error(`text ${wrong} has the vector of another one`);
      return cost;
    },
    async image(gateway) {
      const { images, cost } = await gateway.images.generate({ model: "local-image", prompt: "a fox" });
      if (images.length !== 1) throw new Error("an image that was made is not there");
      return cost;
    },
    async speech(gateway) {
      const body = {
        model: "local-speech",
        input: "A fox.",
        voice: "alloy",
        response_format: "wav" as const,
      };
      const result = await gateway.audio.speech.create(body);
      const bytes = await result.bytes();
      if (bytes.length === 0) throw new Error("speech without a sound counts as a success");
      return result.cost;
    },
    async moderation(gateway) {
      const { results, cost } = await gateway.moderations.create({
        model: "local-moderation",
        input: "a fox",
      });
      if (results.length !== 1) throw new Error("a moderation without a result counts as a success");
      return cost;
    },
    async video(gateway) {
      const { handle } = await gateway.videos.create({
        ...{ model: "local-video-2.0", duration: 5 },
        content: [{ type: "text", text: "a fox" }],
      });
      const { videos, cost } = await gateway.videos.wait(handle, { timeoutMs: 3_600_000 });
      if (videos.length === 0) throw new Error("a film that succeeded has no video");
      return cost;
    },
  };
  const names = Object.keys(calls);
  const buyers = Array.from({ length: world.count("calls", 1, 6) }, async (_, index) => {
    const name = world.pick(`call ${index}`, names);
    await world.sleep(world.random(`start ${index}`)() * 2_000);
    const key = keyOf(world, index);
    const call = async () => {
      const cost = await calls[name]?.(client.withKey(key));
      const charged = world.emulator.ledger.total(key).units;
      if (!isTrue(cost, charged))
        throw new Error(
          `${name} ${index} says that it cost ${JSON.stringify(cost)}, and was charged ${charged}`,
        );
    };
    // The others are repeated by design, since they cost little.
    const buy = BILLABLE.has(name) ? () => world.intend(`${name} ${index}`, call) : call;
    await told(world, `${name} ${index}`, buy, 1 + maxRetries);
  });
  await Promise.all(buyers);
}

/** A key for one call: what is charged to it, that call cost. */
function keyOf({ emulator, apiKey }: World, index: number): string {
  const key = `${apiKey}-for-call-${index}`;
  emulator.keys.add({ key, group: "default", moderation: true });
  return key;
}

/** Whether that is what was charged; less, where the client says that it may be more. */
function isTrue(cost: Cost | undefined, charged: number): boolean {
  if (cost === undefined) return false;
  return cost.maybeMore ? cost.units <= charged : cost.units === charged;
}

async function readPrices() {
  const emulator = createEmulator({ seed: 1 });
  const { url, fetch } = emulator;
  const book = priceBook();
  book.add(
    (await readGatewayPricing(new ModelGateway({ apiKey: "sk-emulator", baseURL: url, fetch }))).models,
  );
  await emulator.close();
  return book;
}

/** What the gateway says when nothing goes wrong, asked without the network. */
async function vectorsOf({ emulator, apiKey }: World, input: string[]): Promise<number[][]> {
  const response = await emulator.fetch(`${emulator.url}/embeddings`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: EMBEDDING_MODEL, input }),
  });
  const { data } = (await response.json()) as { data: { embedding: number[] }[] };
  return data.map(({ embedding }) => embedding);
}
