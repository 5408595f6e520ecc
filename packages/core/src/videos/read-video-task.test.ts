import { describe, expect, it } from "vitest";
import { readTaskId, readVideoTask } from "./read-video-task.js";
import type { VideoTaskHandle } from "./video-types.js";

const HANDLE: VideoTaskHandle = { v: 1, family: "content", id: "t1", createdAt: 5 };
const URL_1 = "https://files.example/1.mp4";
const URL_2 = "https://files.example/2.mp4";

describe("readVideoTask", () => {
  it.each<[string, unknown, object]>([
    [
      "the top level",
      { id: "t1", status: "running", progress: 30, created_at: 1_700_000_000 },
      { status: "running", rawStatus: "running", progress: 30, videos: [], createdAt: 1_700_000_000_000 },
    ],
    [
      "output.video_url",
      {
        status: "succeeded",
        output: { video_url: URL_1, watermark_video_url: URL_2 },
        usage: { total_tokens: 1 },
      },
      { status: "succeeded", videos: [{ url: URL_1, watermarkUrl: URL_2 }], usage: { total_tokens: 1 } },
    ],
    [
      "content with a last frame",
      { status: "succeeded", content: { video_url: URL_1, last_frame_url: URL_2 }, duration: 5 },
      { status: "succeeded", videos: [{ url: URL_1, durationSeconds: 5 }], lastFrameUrl: URL_2 },
    ],
    [
      "data.task_result",
      {
        code: 0,
        message: "SUCCEED",
        data: {
          task_id: "9",
          task_status: "succeed",
          created_at: 1_774_805_076_166,
          task_result: {
            videos: [{ id: "v", url: URL_1, watermark_url: URL_2, duration: "5.1" }, { url: URL_2 }],
          },
        },
      },
      {
        status: "succeeded",
        rawStatus: "succeed",
        createdAt: 1_774_805_076_166,
        videos: [{ url: URL_1, watermarkUrl: URL_2, durationSeconds: 5.1 }, { url: URL_2 }],
      },
    ],
    [
      "upper-case words in output",
      { request_id: "r", output: { task_status: "RUNNING", submit_time: "x" } },
      { status: "running", rawStatus: "RUNNING", videos: [] },
    ],
    [
      "data.output",
      { data: { output: { task_status: "SUCCEEDED", video_url: URL_1 } } },
      { status: "succeeded", rawStatus: "SUCCEEDED", videos: [{ url: URL_1 }] },
    ],
    [
      "metadata.url",
      { id: "t1", status: "completed", progress: 100, metadata: { url: URL_1 } },
      { status: "succeeded", rawStatus: "completed", progress: 100, videos: [{ url: URL_1 }] },
    ],
    [
      "a wrapped task with a percentage",
      { code: "success", data: { task_id: "t1", status: "IN_PROGRESS", progress: "50%" } },
      { status: "running", rawStatus: "IN_PROGRESS", progress: 50 },
    ],
    [
      "a task inside a task",
      {
        code: "success",
        data: { status: "SUCCESS", data: { data: {}, task_result: { videos: [{ url: URL_1 }] } } },
      },
      { status: "succeeded", videos: [{ url: URL_1 }] },
    ],
    ["result_url", { data: { status: "SUCCESS", result_url: URL_1 } }, { videos: [{ url: URL_1 }] }],
    [
      "a URL in fail_reason",
      { data: { status: "SUCCESS", fail_reason: URL_1 } },
      { videos: [{ url: URL_1 }] },
    ],
    [
      "only a watermarked URL",
      { status: "succeeded", output: { watermark_video_url: URL_1 } },
      { videos: [{ url: URL_1, watermarkUrl: URL_1 }] },
    ],
    ["a success without URL", { status: "succeeded" }, { status: "succeeded", videos: [] }],
    ["a status nobody knows", { status: "thinking" }, { status: "running", rawStatus: "thinking" }],
    ["no status at all", {}, { status: "running", videos: [], createdAt: 5 }],
    ["no object at all", "oops", { status: "running", videos: [], raw: "oops" }],
    [
      "an error object",
      { status: "failed", error: { code: "X", message: "refused" } },
      { status: "failed", error: { code: "X", message: "refused" } },
    ],
    [
      "task_status_msg",
      { data: { task_status: "failed", task_status_msg: "too dark" } },
      { status: "failed", error: { message: "too dark" } },
    ],
    [
      "fail_reason",
      { data: { status: "FAILURE", fail_reason: "no" } },
      { status: "failed", error: { message: "no" } },
    ],
    [
      "output.message",
      { output: { task_status: "FAILED", code: "Y", message: "bad" } },
      { status: "failed", error: { code: "Y", message: "bad" } },
    ],
    [
      "a failure without reason, in an envelope that says success",
      { code: 0, message: "SUCCEED", data: { task_status: "failed", task_status_msg: "" } },
      { status: "failed" },
    ],
    ["a failure without reason", { status: "failed" }, { status: "failed" }],
    ["expired", { status: "expired" }, { status: "expired" }],
    ["either spelling of cancelled", { status: "canceled" }, { status: "cancelled" }],
    ["a nonsense progress", { status: "running", progress: "soon" }, { status: "running" }],
  ])("reads %s", (_name, body, expected) => {
    const task = readVideoTask(body, HANDLE);
    expect(task).toMatchObject({ handle: HANDLE, id: "t1", family: "content", raw: body, ...expected });
    for (const field of ["progress", "error", "lastFrameUrl"] as const) {
      if (!(field in expected)) expect(task).not.toHaveProperty(field);
    }
  });
});

describe("readTaskId", () => {
  it.each<[unknown, string | undefined, string | undefined]>([
    [{ id: "a", task_id: "b" }, "a", "b"],
    [{ id: "a" }, "a", "a"],
    [{ data: { task_id: 867283741759111 } }, "867283741759111", "867283741759111"],
    [{ output: { task_id: "o" }, request_id: "r" }, "o", "o"],
    [{ data: null }, undefined, undefined],
    [undefined, undefined, undefined],
  ])("finds the id in %j", (body, byId, byTaskId) => {
    expect(readTaskId(body, "id")).toBe(byId);
    expect(readTaskId(body, "task_id")).toBe(byTaskId);
  });
});

it("a task that a gateway wraps as it came, twice, is read where it is", () => {
  const task = { task_id: "9", task_status: "succeed", task_result: { videos: [{ url: URL_1 }] } };
  const raw = {
    code: "success",
    data: { task_id: "t1", status: "SUCCESS", progress: "100%", data: { code: 0, data: task } },
  };
  expect(readVideoTask(raw, HANDLE)).toMatchObject({
    status: "succeeded",
    videos: [{ url: URL_1 }],
    progress: 100,
  });
  const inOutput = { data: { data: { data: { output: { task_status: "succeed", video_url: URL_2 } } } } };
  expect(readVideoTask(inOutput, HANDLE)).toMatchObject({ status: "succeeded", videos: [{ url: URL_2 }] });
});
