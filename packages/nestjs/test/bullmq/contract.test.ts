import { describe, it } from "vitest";
import { BullMqVideoTaskStore } from "../../src/bullmq.js";
import type { VideoTaskRetention } from "../../src/index.js";
import { videoTaskRetentionContract } from "../../src/testing/video-task-retention-contract.js";
import { videoTaskStoreContract } from "../../src/testing/video-task-store-contract.js";
import { describeEachBackend } from "./describe-each-backend.js";

describe("the store of BullMQ, as every store", () => {
  describeEachBackend((options) => {
    for (const { title, run } of videoTaskStoreContract(() => new BullMqVideoTaskStore(options())))
      it(title, run);
    const createStore = (retention: VideoTaskRetention) =>
      new BullMqVideoTaskStore({ ...options(), retention });
    for (const { title, run } of videoTaskRetentionContract(createStore)) it(title, run);
  });
});
