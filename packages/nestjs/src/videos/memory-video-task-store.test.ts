import { describe, expect, it } from "vitest";
import { videoTaskRetentionContract } from "../testing/video-task-retention-contract.js";
import { videoTaskStoreContract } from "../testing/video-task-store-contract.js";
import { MemoryVideoTaskStore } from "./memory-video-task-store.js";
import type { VideoTaskRetention } from "./video-task-retention.js";

describe("the memory store, as every store", () => {
  for (const { title, run } of videoTaskStoreContract(() => new MemoryVideoTaskStore())) it(title, run);
  const createForgetful = (retention: VideoTaskRetention) => new MemoryVideoTaskStore({ retention });
  for (const { title, run } of videoTaskRetentionContract(createForgetful)) it(title, run);
});

describe("the memory store", () => {
  it("says that it is not durable", () => {
    expect(new MemoryVideoTaskStore().durable).toBe(false);
  });

  it("refuses a retention that makes no sense", () => {
    const create = (retention: object) => () => new MemoryVideoTaskStore({ retention });
    expect(create({ maxFinished: 0 })).toThrow(/retention\.maxFinished of MemoryVideoTaskStore .* not 0\./);
    expect(create({ finishedForMs: 1.5 })).toThrow(/retention\.finishedForMs .* whole number above 0/);
    expect(create({ finishedFor: 1 })).toThrow(/retention\.finishedFor .* is unknown\. Known are/);
  });
});
