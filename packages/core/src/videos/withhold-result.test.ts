import { expect, it } from "vitest";
import { videoOutcome, withholdResult } from "../index.js";

it("shows a task that is over as one that still runs, without its results", () => {
  const handle = { v: 1 as const, family: "content" as const, id: "task-1" };
  const url = "https://files.example.com/1.mp4";
  const raw = { status: "succeeded", video_url: url };
  const about = { handle, id: "task-1", family: "content" as const, progress: 100, raw };
  const over = { ...about, status: "succeeded" as const, videos: [{ url }], lastFrameURL: url };
  const shown = withholdResult(over);
  expect(shown).toEqual({ ...about, status: "running", videos: [] });
  expect("lastFrameURL" in shown).toBe(false);
  expect([videoOutcome(shown), videoOutcome(over)]).toEqual(["pending", "success"]);
});
