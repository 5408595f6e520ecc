import { describe, expect, it } from "vitest";
import type { VideoTaskHandle } from "../tasks/video-task-handle.js";
import { readTaskId, readVideoTask } from "./read-video-task.js";

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
      { status: "succeeded", videos: [{ url: URL_1, watermarkURL: URL_2 }], usage: { total_tokens: 1 } },
    ],
    [
      "content with a last frame",
      { status: "succeeded", content: { video_url: URL_1, last_frame_url: URL_2 }, duration: 5 },
      { status: "succeeded", videos: [{ url: URL_1, durationSeconds: 5 }], lastFrameURL: URL_2 },
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
        videos: [{ url: URL_1, watermarkURL: URL_2, durationSeconds: 5.1 }, { url: URL_2 }],
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
      { videos: [{ url: URL_1, watermarkURL: URL_1 }] },
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
    [
      "what lies in data before what lies in output or around them",
      { status: "a", output: { status: "b" }, data: { status: "c", output: { status: "d" } } },
      { rawStatus: "c" },
    ],
    [
      "output before data.output and the envelope",
      { status: "a", output: { status: "b" }, data: { output: { status: "d" } } },
      { rawStatus: "b" },
    ],
    [
      "data.output before the envelope",
      { status: "a", data: { output: { status: "d" }, data: { status: "e" } } },
      { rawStatus: "d" },
    ],
    [
      "the envelope before what lies two levels below",
      { status: "a", data: { data: { status: "e" } } },
      { rawStatus: "a" },
    ],
    [
      "data.data before its output",
      { data: { data: { status: "e", output: { status: "f" } } } },
      { rawStatus: "e" },
    ],
    [
      "data.data.output before what lies below",
      { data: { data: { output: { status: "f" }, data: { status: "g" } } } },
      { rawStatus: "f" },
    ],
    [
      "data.data.data before its output",
      { data: { data: { data: { status: "g", output: { status: "h" } } } } },
      { rawStatus: "g" },
    ],
    ["data.data.data.output", { data: { data: { data: { output: { status: "h" } } } } }, { rawStatus: "h" }],
    ["task_status before status", { task_status: "submitted", status: "x" }, { rawStatus: "submitted" }],
    [
      "videos of the layer itself, as objects and as addresses, without those that name no file",
      {
        status: "succeeded",
        videos: [URL_1, "none", { video_url: URL_2, duration: 7 }, {}, null, { watermark_video_url: URL_1 }],
      },
      {
        videos: [{ url: URL_1 }, { url: URL_2, durationSeconds: 7 }, { url: URL_1, watermarkURL: URL_1 }],
      },
    ],
    [
      "the address of a file before those of its copies",
      {
        status: "succeeded",
        videos: [{ url: URL_1, video_url: URL_2, watermark_url: URL_2, watermark_video_url: URL_1 }],
      },
      { videos: [{ url: URL_1, watermarkURL: URL_2 }] },
    ],
    [
      "the file beside an empty list",
      { status: "succeeded", videos: [], task_result: { videos: "x" }, video_url: URL_1 },
      { videos: [{ url: URL_1 }] },
    ],
    [
      "the content before the layer itself, and both before copies with a watermark",
      {
        content: { video_url: URL_1 },
        video_url: URL_2,
        watermark_video_url: URL_2,
        metadata: { url: URL_2 },
      },
      { videos: [{ url: URL_1, watermarkURL: URL_2 }] },
    ],
    [
      "a copy with a watermark before metadata",
      { watermark_video_url: URL_1, metadata: { url: URL_2 } },
      { videos: [{ url: URL_1, watermarkURL: URL_1 }] },
    ],
    [
      "metadata before result_url",
      { metadata: { url: URL_1 }, result_url: URL_2 },
      { videos: [{ url: URL_1 }] },
    ],
    [
      "result_url before video.url",
      { result_url: URL_1, video: { url: URL_2 } },
      { videos: [{ url: URL_1 }] },
    ],
    ["video.url before url", { video: { url: URL_1 }, url: URL_2 }, { videos: [{ url: URL_1 }] }],
    ["url before fail_reason", { url: URL_1, fail_reason: URL_2 }, { videos: [{ url: URL_1 }] }],
    [
      "addresses with blanks around them, in capitals, inside objects, of data and of a path",
      {
        videos: [
          ` ${URL_1} `,
          "HTTP://files.example/1",
          { url: { url: `${URL_2} ` } },
          "data:video/mp4;base64,AA",
          "/files/1.mp4",
        ],
      },
      {
        videos: [
          { url: URL_1 },
          { url: "HTTP://files.example/1" },
          { url: URL_2 },
          { url: "data:video/mp4;base64,AA" },
          { url: "/files/1.mp4" },
        ],
      },
    ],
    [
      "no address in text that holds one",
      { url: `see ${URL_1}`, video_url: "ftp://x", metadata: { url: 7 } },
      { videos: [] },
    ],
    [
      "seconds where there is no duration",
      { video_url: URL_1, seconds: "8" },
      { videos: [{ url: URL_1, durationSeconds: 8 }] },
    ],
    [
      "the last frame of the layer before that of its content",
      { last_frame_url: URL_1, content: { last_frame_url: URL_2 } },
      { lastFrameURL: URL_1 },
    ],
    [
      "progress from where it is told",
      { data: { progress: null, status: "running" }, progress: 0 },
      { progress: 0 },
    ],
    ["a whole progress", { progress: 100 }, { progress: 100 }],
    ["no progress beyond a hundred", { progress: 101 }, {}],
    ["no progress below nothing", { progress: "-1%" }, {}],
    ["no progress of another type", { progress: [50] }, {}],
    [
      "usage from where it is told",
      { data: { usage: null }, usage: { total_tokens: 1 } },
      { usage: { total_tokens: 1 } },
    ],
    ["a date", { created_at: "2026-01-02T03:04:05Z" }, { createdAt: Date.UTC(2026, 0, 2, 3, 4, 5) }],
    ["seconds as text", { created: "1700000000" }, { createdAt: 1_700_000_000_000 }],
    ["a time with fractions", { created_at: 1_700_000_000.5005 }, { createdAt: 1_700_000_000_501 }],
    [
      "created_at before created",
      { created_at: 1_700_000_000, created: 1 },
      { createdAt: 1_700_000_000_000 },
    ],
    [
      "the last second before milliseconds",
      { created_at: 99_999_999_999 },
      { createdAt: 99_999_999_999_000 },
    ],
    ["the first millisecond", { created_at: 100_000_000_000 }, { createdAt: 100_000_000_000 }],
    ["no time before the epoch", { created_at: 0, data: { created_at: -5 } }, { createdAt: 5 }],
    ["no time that is none", { created_at: "soon" }, { createdAt: 5 }],
    ["a date without time", { created_at: "2026-01-02" }, { createdAt: Date.UTC(2026, 0, 2) }],
    ["an error that is text", { status: "failed", error: "refused" }, { error: { message: "refused" } }],
    ["error_message", { status: "failed", error_message: "refused" }, { error: { message: "refused" } }],
    [
      "the reasons of a failure in order",
      {
        status: "failed",
        error: { message: "1", code: 7 },
        task_status_msg: "2",
        fail_reason: "3",
        error_message: "4",
        message: "5",
        code: "8",
      },
      { error: { message: "1", code: "7" } },
    ],
    [
      "task_status_msg before fail_reason",
      { status: "failed", task_status_msg: "2", fail_reason: "3", error_message: "4", message: "5" },
      { error: { message: "2" } },
    ],
    [
      "fail_reason before error_message",
      { status: "failed", fail_reason: "3", error_message: "4", message: "5" },
      { error: { message: "3" } },
    ],
    [
      "error_message before message",
      { status: "failed", error_message: "4", message: "5" },
      { error: { message: "4" } },
    ],
    [
      "no address for a reason, but the reason below it",
      { message: "really", data: { status: "failed", fail_reason: URL_1 } },
      { error: { message: "really" } },
    ],
    ["no error of a task that goes on or succeeded", { status: "running", error: { message: "slow" } }, {}],
    [
      "no error of a success",
      { status: "succeeded", message: "done", url: URL_1 },
      { videos: [{ url: URL_1 }] },
    ],
  ])("reads %s", (_name, body, expected) => {
    const task = readVideoTask(body, HANDLE);
    expect(task).toMatchObject({ handle: HANDLE, id: "t1", family: "content", raw: body, ...expected });
    for (const field of ["progress", "error", "lastFrameURL", "usage"] as const) {
      if (!(field in expected)) expect(Object.keys(task)).not.toContain(field);
      else expect(task[field]).toStrictEqual((expected as Record<string, unknown>)[field]);
    }
    if ("videos" in expected) expect(task.videos).toStrictEqual(expected.videos);
  });
});

describe("readTaskId", () => {
  it.each<[unknown, string | undefined, string | undefined]>([
    [{ id: "a", task_id: "b" }, "a", "b"],
    [{ id: "a" }, "a", "a"],
    [{ task_id: "b", data: { id: "c" } }, "c", "c"],
    [{ id: " ", task_id: "" }, undefined, undefined],
    [{ data: { task_id: 867283741759111 } }, "867283741759111", "867283741759111"],
    [{ output: { task_id: "o" }, request_id: "r" }, "o", "o"],
    [{ data: null }, undefined, undefined],
    [undefined, undefined, undefined],
  ])("finds the id in %j", (body, byId, byTaskId) => {
    expect(readTaskId(body, "flat")).toBe(byId);
    expect(readTaskId(body, "wrapped")).toBe(byTaskId);
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
