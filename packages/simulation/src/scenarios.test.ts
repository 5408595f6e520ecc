import { ModelGateway } from "@model-gateway/core";
import { type RunResult, replay, simulate } from "@model-gateway/emulator/simulation";
import { describe, expect, it } from "vitest";
import { SCENARIOS } from "./scenarios.js";

/** Worlds of each scenario in a run of all tests. */
const WORLDS = 500;
/** Where that many take too long. */
const FEWER: Record<string, number> = {
  "core-budget": 300,
  "core-ingest": 200,
  "failing-disk": 300,
  "failing-disk-files": 300,
  "nest-films": 300,
  "nest-replicas": 200,
};
const REPLAYED = 30;
/** Worlds that once failed, by what was wrong with the product. */
const REGRESSIONS: [string, string, number][] = [
  ["a journal of zeros was no journal", "nest-videos", 292],
  ["a picture that could not be fetched was paid again", "ai-sdk", 12],
  ["a kept file whose name was not on disk counted as kept", "nest-films", 191],
  ["the page of a proxy was kept as a film", "nest-films", 157],
  ["what a sync had failed to write was lost after the next start", "failing-disk", 498],
  ["a kept file was confirmed by a sync after one that failed", "failing-disk-files", 278],
  ["the folder of the journal had no durable name", "nest-videos", 1401],
  ["vectors were written to a store before they were on the disk", "core-ingest", 10],
  ["the folder of a checkpoint had no durable name", "core-ingest", 306],
  ["an ingest came to its end never, for one bad text at its beginning", "core-ingest", 2452],
  ["texts that another batch asked for counted as refused", "core-ingest", 79],
  ["a refused stream that made way for the next was told to be lost", "resumable-streams", 61],
  ["a stream that was stopped before its store answered was paid", "resumable-streams", 70],
];

describe.each(Object.entries(SCENARIOS))("%s", (name, scenario) => {
  const seen = new Map<number, RunResult>();

  it("holds what it promises, whatever goes wrong", async () => {
    const runs = FEWER[name] ?? WORLDS;
    const onRun = ({ seed, result }: { seed: number; result: RunResult }) => {
      if (seed <= REPLAYED) seen.set(seed, result);
    };
    const { failure, faults } = await simulate({ ...scenario, runs, onRun });
    expect(failure && [failure.seed, failure.violation, ...failure.story].join("\n")).toBeUndefined();
    expect(Object.keys(faults).length).toBeGreaterThan(3);
  });

  it("is the same for the same seed", async () => {
    const hashes = new Set<string>();
    for (const [seed, first] of seen) {
      const again = await replay(scenario, seed);
      expect(again.story, `seed ${seed}`).toEqual(first.story);
      expect([again.hash, again.violation]).toEqual([first.hash, undefined]);
      hashes.add(first.hash);
    }
    expect(seen.size).toBe(REPLAYED);
    expect(hashes.size).toBeGreaterThan(REPLAYED / 2);
  });
});

it.each(REGRESSIONS)("once %s", async (_what, name, seed) => {
  const scenario = SCENARIOS[name];
  expect(scenario && (await replay(scenario, seed)).violation).toBeUndefined();
});

describe("a planted fault is found", () => {
  it("when calls that cost something are retried", async () => {
    const { failure } = await simulate({
      runs: 100,
      async app(world) {
        const { apiKey, baseURL, fetch } = world;
        const gateway = new ModelGateway({ apiKey, baseURL, fetch, retryBillable: true });
        await world
          .intend("picture", () => gateway.images.generate({ model: "local-image", prompt: "a fox" }))
          .catch(() => {});
      },
    });
    expect(failure?.violation).toMatch(/^nothing is paid twice: picture was paid \d times$/);
    expect(failure?.faults).toHaveLength(1);
  });

  it("when they are told to have failed for certain", async () => {
    const { failure } = await simulate({
      runs: 100,
      async app(world) {
        const { apiKey, baseURL, fetch } = world;
        const gateway = new ModelGateway({ apiKey, baseURL, fetch });
        const buy = () => gateway.images.generate({ model: "local-image", prompt: "a fox" });
        const forgetful = () => Promise.reject(new Error("It did not work."));
        await world.intend("picture", () => buy().catch(forgetful)).catch(() => {});
      },
    });
    expect(failure?.violation).toMatch(/^nothing paid is lost: picture was paid/);
  });
});
