import { describe, expect, it } from "vitest";
import { VirtualClock } from "../state/virtual-clock.js";
import { type NewVideoTask, TaskStore } from "./task-store.js";

const NEW: NewVideoTask = {
  ...{ family: "content", key: "sk-a", model: "m", origin: "http://a.test", fails: false, stuck: false },
  settings: {
    ...{ prompt: "a boat", resolution: "480p", ratio: "16:9", width: 864, height: 496, durationSeconds: 5 },
    ...{ seed: 1, generateAudio: true, draft: false, returnLastFrame: false, executionExpiresAfter: 3_600 },
  },
};

function started() {
  const clock = new VirtualClock();
  const changes: string[] = [];
  const store = new TaskStore(clock, { queuedMs: 1_000, runningMs: 1_000 }, ({ status }) => {
    changes.push(status);
  });
  return { clock, changes, store, id: store.create(NEW).id };
}

describe("the store of video tasks", () => {
  it("cancels what waits, and tells of it once", async () => {
    const { clock, changes, store, id } = started();
    await store.cancel(id);
    await expect(store.cancel(id)).rejects.toThrow("has ended as cancelled");
    await clock.advance(3_600_000);
    expect([store.get(id)?.status, changes]).toEqual(["cancelled", ["cancelled"]]);
    clock.close();
  });

  it("cancels nothing that runs, and nothing that is not there", async () => {
    const { clock, store, id } = started();
    await clock.advance(1_000);
    await expect(store.cancel(id)).rejects.toThrow("is running");
    await expect(store.cancel("none")).rejects.toThrow('There is no video task "none"');
    await clock.advance(1_000);
    expect(store.get(id)?.status).toBe("succeeded");
    clock.close();
  });

  it("forgets what has ended, and nothing that is still under way", async () => {
    const { clock, store, id } = started();
    expect(() => store.remove(id)).toThrow("is still queued");
    await clock.advance(1_000);
    expect(() => store.remove(id)).toThrow("is still running");
    await clock.advance(1_000);
    store.remove(id);
    expect([store.get(id), store.list()]).toEqual([undefined, []]);
    expect(() => store.remove(id)).toThrow(`There is no video task "${id}"`);
    clock.close();
  });

  it("finds a task of any family where none is asked for, for its own key only", () => {
    const { clock, store, id } = started();
    expect(store.find(undefined, "sk-a", id)?.id).toBe(id);
    expect(store.find("content", "sk-a", id)?.id).toBe(id);
    expect(store.find("text2video", "sk-a", id)).toBeUndefined();
    expect(store.find(undefined, "sk-b", id)).toBeUndefined();
    clock.close();
  });
});
