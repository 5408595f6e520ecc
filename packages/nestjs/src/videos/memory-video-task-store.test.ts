import type { VideoTask } from "@model-gateway/core";
import { describe, expect, it } from "vitest";
import { videoTaskStoreContract } from "../testing/video-task-store-contract.js";
import { MemoryVideoTaskStore } from "./memory-video-task-store.js";

describe("the memory store, as every store", () => {
  for (const { title, run } of videoTaskStoreContract(() => new MemoryVideoTaskStore())) it(title, run);
});

describe("the memory store", () => {
  it("says that it is not durable", () => {
    expect(new MemoryVideoTaskStore().durable).toBe(false);
  });

  it("forgets the oldest finished tasks, and no lost ones", async () => {
    const store = new MemoryVideoTaskStore({ retention: { maxFinished: 1 } });
    for (const key of ["lost", "first", "second"]) {
      await store.begin({ key, submission: { family: "content", body: { model: "m", content: [] } } });
    }
    await store.lose("lost", { kind: "connection", message: "The connection broke." });
    await store.accept("first", succeeded("1"));
    await store.accept("second", succeeded("2"));
    expect((await store.list()).map(({ key }) => key)).toEqual(["lost", "second"]);
  });
});

function succeeded(id: string): VideoTask {
  const handle = { v: 1, family: "content", id } as const;
  return { handle, id, family: "content", status: "succeeded", videos: [], raw: {} };
}
