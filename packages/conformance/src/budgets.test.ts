import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Cost, ModelGateway, type VideoTask } from "@model-gateway/core";
import {
  type Budget,
  type BudgetTrouble,
  createBudget,
  type OpenReservation,
} from "@model-gateway/core/budget";
import { FileBudgetStore } from "@model-gateway/core/node";
import { type PriceBook, type PriceList, priceBook, readGatewayPricing } from "@model-gateway/core/prices";
import { RedisBudgetStore } from "@model-gateway/core/redis";
import { createEmulator, type Emulator } from "@model-gateway/emulator";
import {
  type Child,
  compileProgram,
  hasRedis,
  type Program,
  type Redis,
  startChild,
  useRedis,
} from "@model-gateway/test-servers";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { SpenderTask } from "../test/children/spender.js";
import { BOUNDS, fault, pricedCall } from "./priced-calls.js";

/** Each is a client, a key, an account and a call. */
const CALLS = 300;
const AT_ONCE = 16;
const UNITS = 500_000;
/** It does not end while a test runs. */
const WINDOW = { ms: 100_000_000_000_000 };

let emulator: Emulator;
let prices: PriceBook;
let models: PriceList["models"];

beforeAll(async () => {
  emulator = await createEmulator({ seed: 1, videoTimings: { queuedMs: 0, runningMs: 0 } }).listen({
    port: 0,
  });
  const asking = new ModelGateway({ apiKey: "sk-emulator", baseURL: emulator.urls.general });
  ({ models } = await readGatewayPricing(asking));
  prices = priceBook({ models });
  prices.add(BOUNDS);
});

afterAll(() => emulator.close());

function clientOf(budget: Budget, key = "sk-emulator", maxRetries = 2): ModelGateway {
  return new ModelGateway({
    ...{ apiKey: key, baseURL: emulator.urls.general, endpoints: { specialized: emulator.urls.specialized } },
    ...{ prices, budget, maxRetries, retryBudget: Number.POSITIVE_INFINITY },
  });
}

async function standOf(budget: Budget, key?: string) {
  await budget.flush();
  const { spent, reserved } = await budget.usage(key);
  return { spent: Math.round(spent * UNITS), reserved: Math.round(reserved * UNITS) };
}

describe("a budget and what the gateway charges", () => {
  it("agree, or the budget has more, whatever happens to calls of all kinds", async () => {
    const limit = 2;
    const budget = createBudget({ limit, currency: "USD", window: "month", per: "key" });
    const client = clientOf(budget);
    const cases = fc.sample(fc.tuple(pricedCall, fc.array(fault, { maxLength: 2 })), {
      numRuns: CALLS,
      seed: 23,
    });
    let [exact, refused, keys] = [0, 0, 0];
    const work = async () => {
      for (let next = cases.shift(); next; next = cases.shift()) {
        const [{ name, run, body }, faults] = next;
        const key = `sk-budget-${++keys}-0123456789`;
        emulator.keys.add({ key, group: "default", moderation: true });
        for (const each of faults) emulator.faults.add({ ...each, key, times: 1 });
        let cost: Cost | undefined;
        let kind: string | undefined;
        try {
          cost = await run(client.withKey(key), emulator);
        } catch (error) {
          kind = (error as { kind?: string }).kind;
          if (kind === undefined) throw error;
        }
        const what = `${name} ${JSON.stringify(body)} ${JSON.stringify(faults)}`;
        const { units } = emulator.ledger.total(key);
        const { spent, reserved } = await standOf(budget, key);
        expect(spent + reserved, what).toBeGreaterThanOrEqual(units);
        expect(units, what).toBeLessThanOrEqual(limit * UNITS);
        if (kind === "budget_exceeded") refused++;
        if (cost === undefined || cost.maybeMore) continue;
        expect({ spent, reserved }, what).toEqual({ spent: units, reserved: 0 });
        exact++;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(exact).toBeGreaterThan(CALLS / 3);
    expect(refused).toBeGreaterThan(0);
    // Other requests of a call that has failed may be under way.
    const running = async () => (await budget.open()).filter(({ state }) => state === "running");
    await expect.poll(running).toEqual([]);
    for (const { call } of await budget.open()) {
      // A create whose task nobody got to see the end of, or whose answer was lost.
      expect(call).toMatch(/^(videos|images|audio)\./);
    }
  });

  const image = { data: new Uint8Array(Buffer.from(PNG(), "base64")), mediaType: "image/png" };
  const picture = { model: "local-image-b64", prompt: "A fox", size: "1024x1024", quality: "low" as const };
  const video = { prompt: "A fox runs", model_name: "local-image2video", image: "https://x.example/fox.png" };
  const messages = [{ role: "user" as const, content: "Say hello" }];
  it.each<[string, (gateway: ModelGateway) => Promise<unknown>]>([
    ["chat", ({ chat }) => chat.completions.create({ model: "local-chat", messages }).then()],
    [
      "a chat stream",
      async ({ chat }) => {
        const options = { stream: true as const, stream_options: { include_usage: true } };
        await (
          await chat.completions.create({ model: "local-chat", messages, ...options })
        ).finalCompletion();
      },
    ],
    [
      "embeddings in batches",
      ({ embeddings }) =>
        embeddings.create({ model: "local-embedding", input: ["a", "b", "c", "d", "e"] }, { batchSize: 2 }),
    ],
    [
      "images",
      ({ images }) => images.generate({ model: "local-image", prompt: "A fox", size: "256x256" }).then(),
    ],
    ["edits", ({ images }) => images.edit({ ...picture, images: [image] }).then()],
    [
      "an image stream",
      async ({ images }) => void (await read(await images.stream({ ...picture, partial_images: 1 }))),
    ],
    [
      "a stream of edits",
      async ({ images }) =>
        void (await read(await images.editStream({ ...picture, images: [image], partial_images: 1 }))),
    ],
    [
      "images through chat",
      ({ images }) =>
        images.generateThroughChat({ model: "local-chat-image", prompt: "A fox", size: "1024x1024" }).then(),
    ],
    [
      "speech",
      async ({ audio }) =>
        (await audio.speech.create({ model: "local-speech", input: "Hello", voice: "alloy" })).bytes(),
    ],
    [
      "moderation",
      ({ moderations }) => moderations.create({ model: "local-moderation", input: "Hello" }).then(),
    ],
    [
      "moderation through chat",
      ({ moderations }) => moderations.classify("Hello", { strategy: "chat", model: "local-chat" }),
    ],
    [
      "a video",
      ({ videos }) =>
        toEnd(
          videos,
          videos.create({
            model: "local-video-2.0",
            content: [{ type: "text", text: "A fox" }],
            duration: 5,
            resolution: "480p",
          }),
        ),
    ],
    ["a video of an image", ({ videos }) => toEnd(videos, videos.imageToVideo(video))],
    [
      "an omni video",
      ({ videos }) => toEnd(videos, videos.omniVideo({ model_name: "local-omni-video", prompt: "A fox" })),
    ],
    [
      "a video that fails",
      ({ videos }) =>
        toEnd(videos, videos.omniVideo({ model_name: "local-omni-video", prompt: "A fox [[fail]]" })),
    ],
  ])("agree on %s to the unit", async (name, run) => {
    const key = `sk-kind-${randomUUID()}`;
    emulator.keys.add({ key, group: "default", moderation: true });
    const budget = createBudget({ limit: 10, currency: "USD", window: "day" });
    await run(clientOf(budget, key, 0));
    const { units } = emulator.ledger.total(key);
    expect(units > 0).toBe(name !== "a video that fails");
    expect(emulator.ledger.list({ key }).length).toBeGreaterThan(0);
    expect(await standOf(budget)).toEqual({ spent: units, reserved: 0 });
    expect(await budget.open()).toEqual([]);
  });
});

async function toEnd(videos: ModelGateway["videos"], created: PromiseLike<VideoTask>): Promise<void> {
  const { handle } = await created;
  for (;;) {
    const { status } = await videos.retrieve(handle);
    if (status !== "queued" && status !== "running") return;
    await emulator.clock.advance(1);
  }
}

async function read(stream: AsyncIterable<unknown>): Promise<void> {
  let events = 0;
  for await (const _ of stream) events++;
  expect(events).toBeGreaterThan(0);
}

/** One by one pixel. */
function PNG(): string {
  return "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";
}

describe("a budget of several processes", () => {
  /** 0.02 each. */
  const IMAGE_UNITS = 10_000;
  const ADMITS = 20;
  const CALLS_OF_EACH = 64;
  const IMAGE_PRICE = { models: { "local-image": { request: IMAGE_UNITS / UNITS } } };
  let program: Program;
  let redis: Redis | undefined;

  beforeAll(async () => {
    program = await compileProgram(fileURLToPath(new URL("..", import.meta.url)), "spender", ["ioredis"]);
    redis = hasRedis ? await useRedis() : undefined;
  });
  afterAll(async () => {
    await program.remove();
    await redis?.stop();
  });

  const places: [string, boolean, () => Promise<SpenderTask["store"]>][] = [
    [
      "files",
      true,
      async () => {
        const folder = await mkdtemp(join(tmpdir(), "budget-"));
        onTestFinished(() => rm(folder, { recursive: true, force: true }));
        return { file: join(folder, "budget") };
      },
    ],
    ["Redis", hasRedis, async () => ({ redis: redis?.url ?? "", prefix: randomUUID() })],
  ];

  describe.each(places.filter(([, exists]) => exists))("in %s", (_name, _exists, place) => {
    const start = async (store: SpenderTask["store"], own: Emulator, more: Partial<SpenderTask> = {}) => {
      const task: SpenderTask = {
        ...{ baseURL: own.urls.general, store, limit: (ADMITS * IMAGE_UNITS) / UNITS, calls: CALLS_OF_EACH },
        ...{
          prices: IMAGE_PRICE,
          leaseMs: 60_000,
          ...more,
        },
      };
      const child = startChild(program.file, task);
      expect(await child.next()).toEqual({ ready: true });
      return child;
    };
    const serve = async (options: object = {}) => {
      const own = await createEmulator({ seed: 2, ...options }).listen({ port: 0 });
      onTestFinished(() => own.close());
      return own;
    };

    it("lets through what fits, of 64 calls at once in each of two", async () => {
      const own = await serve();
      const store = await place();
      const children = await Promise.all([start(store, own), start(store, own)]);
      for (const child of children) child.send({ go: true });
      const reports = await Promise.all(children.map(reportOf));
      const outcomes = reports.flatMap(({ outcomes }) => outcomes);
      expect(outcomes.filter((outcome) => outcome === "made")).toHaveLength(ADMITS);
      expect(outcomes.filter((outcome) => outcome === "budget_exceeded")).toHaveLength(
        2 * CALLS_OF_EACH - ADMITS,
      );
      expect(own.journal.list({ path: "/images/generations" })).toHaveLength(ADMITS);
      const levels = reports.flatMap(({ levels }) => levels);
      expect(levels.sort()).toEqual([0.5, 0.8, 1]);
      const again = await reportOf(await sent(start(store, own, { calls: 1 })));
      expect(again.outcomes).toEqual(["budget_exceeded"]);
      expect(again.usage).toMatchObject({ spent: (ADMITS * IMAGE_UNITS) / UNITS, reserved: 0 });
      expect(again.open).toEqual([]);
    });

    it("counts what one was paying for that was killed, and tells it to the next", async () => {
      const own = await serve({ latency: 600_000 });
      const store = await place();
      const dead = await start(store, own, { calls: 5, leaseMs: 200 });
      dead.send({ go: true });
      while (own.journal.list({ path: "/images/generations" }).length < 5) await pause();
      dead.process.kill("SIGKILL");
      await dead.exit;
      const other = await serve();
      // Whatever it asks for, the dead one's room is not given to it.
      const next = await reportOf(await sent(start(store, other, { leaseMs: 200 })));
      expect(next.outcomes.filter((outcome) => outcome === "made")).toHaveLength(ADMITS - 5);
      const told: BudgetTrouble[] = [];
      const budget = createBudget({
        ...{ limit: (ADMITS * IMAGE_UNITS) / UNITS, currency: "USD", window: WINDOW, leaseMs: 200 },
        store:
          "file" in store
            ? new FileBudgetStore(store.file)
            : new RedisBudgetStore({ connection: store.redis, prefix: store.prefix }),
        onTrouble: (trouble) => told.push(trouble),
      });
      onTestFinished(() => budget.close());
      const { images } = new ModelGateway({
        ...{ apiKey: "sk-emulator", baseURL: other.urls.general, prices: priceBook(IMAGE_PRICE), budget },
      });
      const refused = await images
        .generate({ model: "local-image", prompt: "A fox" })
        .catch((error: unknown) => error);
      expect(refused).toMatchObject({ kind: "budget_exceeded" });
      let open: OpenReservation[] = [];
      while (open.filter(({ state }) => state === "unresolved").length < 5) {
        await pause();
        open = await budget.open();
      }
      const warnings = told.length + next.troubles.filter((kind) => kind === "unresolved").length;
      expect(warnings).toBeGreaterThanOrEqual(5);
      expect(open).toHaveLength(5);
      expect(new Set(open.map(({ owner }) => owner)).size).toBe(1);
      for (const { call, amount, requestKey, id } of open) {
        expect({ call, amount }).toEqual({ call: "images.generate", amount: IMAGE_UNITS / UNITS });
        expect(requestKey).toMatch(/^[0-9a-f-]{36}$/);
        expect(await budget.settle(id, amount / 2)).toBe(true);
      }
      expect(await budget.open()).toEqual([]);
      const { spent, reserved } = await budget.usage();
      expect(Math.round(spent * UNITS)).toBe((ADMITS - 5) * IMAGE_UNITS + (5 * IMAGE_UNITS) / 2);
      expect(reserved).toBe(0);
    });
  });
});

async function sent(started: Promise<Child>): Promise<Child> {
  const child = await started;
  child.send({ go: true });
  return child;
}

interface Report {
  outcomes: string[];
  usage: { spent: number; reserved: number };
  open: OpenReservation[];
  levels: number[];
  troubles: string[];
}

async function reportOf(child: Child): Promise<Report> {
  const levels: number[] = [];
  const troubles: string[] = [];
  for (;;) {
    const message = (await child.next()) as
      | (Partial<Report> & { level?: number; trouble?: string })
      | undefined;
    if (message === undefined) throw new Error("The process ended without a report.");
    if (message.level !== undefined) levels.push(message.level);
    if (message.trouble !== undefined) troubles.push(message.trouble);
    if (message.outcomes !== undefined) return { ...(message as Report), levels, troubles };
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}
