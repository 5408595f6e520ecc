import { describe, expect, it } from "vitest";
import type { VideoTaskHandle } from "../tasks/video-task-handle.js";
import { VideoTaskFailedError, VideoTaskTimeoutError } from "./video-errors.js";
import type { VideoTask } from "./video-types.js";

const HANDLE: VideoTaskHandle = { v: 1, family: "content", id: "t1" };
const TASK: VideoTask = {
  handle: HANDLE,
  id: "t1",
  family: "content",
  status: "failed",
  videos: [],
  raw: {},
};

describe("VideoTaskFailedError", () => {
  it.each<[VideoTask["error"], string]>([
    [{ code: "C7", message: "too dark" }, "too dark (code C7)"],
    [{ message: "too dark" }, "too dark"],
    [undefined, "the gateway gives no reason"],
  ])("of a task with error %j says that it is %s", (error, reason) => {
    const task = { ...TASK, ...(error && { error }) };
    const failed = new VideoTaskFailedError(task);
    expect(failed.message).toBe(`Video task t1 ended as failed: ${reason}. Waiting longer does not help.`);
    expect(failed).toMatchObject({ kind: "video_task_failed", task, handle: HANDLE });
    expect(VideoTaskFailedError.isInstance(failed)).toBe(true);
    expect(VideoTaskTimeoutError.isInstance(failed)).toBe(false);
  });
});

describe("VideoTaskTimeoutError", () => {
  it("says that the task goes on and is billed, and how it was last seen", () => {
    const unseen = new VideoTaskTimeoutError(HANDLE, 100);
    expect(unseen.message).toBe(
      "Video task t1 was not over after 100 ms. It goes on and is billed as usual: keep error.handle and watch it again " +
        "instead of creating it anew.",
    );
    expect(unseen).toMatchObject({ kind: "video_task_timeout", handle: HANDLE, timeoutMs: 100 });
    expect(unseen).not.toHaveProperty("task");
    const task: VideoTask = { ...TASK, status: "running" };
    const seen = new VideoTaskTimeoutError(HANDLE, 100, task);
    expect(seen.message).toContain("after 100 ms. It was last seen running. It goes on");
    expect(seen.task).toBe(task);
    expect(VideoTaskTimeoutError.isInstance(seen)).toBe(true);
    expect(VideoTaskFailedError.isInstance(seen)).toBe(false);
  });
});
