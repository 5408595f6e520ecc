import { describe, expect, it } from "vitest";
import { readVideoCallback } from "./read-video-callback.js";

const CONTENT = { id: "cgt-1", model: "m", status: "running", created_at: 1_700_000_000 };
const DATA = {
  task_id: "867283741759111202",
  task_status: "succeed",
  task_info: { external_task_id: "order-7" },
  task_result: { videos: [{ id: "v1", url: "https://files.example/1.mp4", duration: "5.1" }] },
  created_at: 1_774_805_076_166,
};

describe("readVideoCallback", () => {
  it.each<[string, unknown, object]>([
    [
      "the status body of the family content",
      CONTENT,
      {
        id: "cgt-1",
        family: "content",
        status: "running",
        handle: { v: 1, family: "content", id: "cgt-1", createdAt: 1_700_000_000_000 },
      },
    ],
    [
      "a bare data object, whose family shows nowhere",
      DATA,
      { id: DATA.task_id, externalTaskId: "order-7", status: "succeeded" },
    ],
    [
      "the status body of a wrapped family",
      { code: 0, message: "SUCCEED", data: DATA },
      { id: DATA.task_id, externalTaskId: "order-7", status: "succeeded" },
    ],
    ["an output", { output: { task_id: "o1", task_status: "PENDING" } }, { id: "o1", status: "queued" }],
    [
      "both ids",
      { id: "public", task_id: "inner", status: "completed" },
      { id: "inner", status: "succeeded" },
    ],
    [
      "an envelope with an id of its own",
      { id: "evt-1", type: "video", task: CONTENT },
      { id: "cgt-1", family: "content", status: "running" },
    ],
    ["a word that is not known", { id: "t", status: "dreaming" }, { id: "t", status: "running" }],
    ["a task without status", { id: "t" }, { id: "t", handle: { v: 1, family: "content", id: "t" } }],
    [
      "the caller's id beside the task's",
      { id: "t", status: "running", external_task_id: "order-7" },
      { id: "t", externalTaskId: "order-7", handle: { v: 1, family: "content", id: "t" } },
    ],
    [
      "the caller's id of the task's info before that beside it",
      { task_id: "t", external_task_id: "other", task_info: { external_task_id: "order-7" } },
      { id: "t", externalTaskId: "order-7" },
    ],
    [
      "an id whose task has a word of another family",
      { id: "t", task_status: "succeed" },
      { id: "t", status: "succeeded" },
    ],
    [
      "an envelope with a status of its own",
      { status: "sent", task: CONTENT },
      { id: "cgt-1", family: "content", status: "running" },
    ],
    ["a list of one", [CONTENT], { id: "cgt-1", family: "content", status: "running" }],
    [
      "an envelope that has an id and wraps one, but no status",
      { id: "evt-1", task: { id: "inner" } },
      { id: "evt-1", family: "content" },
    ],
    ["a wrapped task without status", { type: "video", task: { id: "t" } }, { id: "t", family: "content" }],
    ["a status of no task", { status: "succeeded" }, { status: "succeeded" }],
  ])("reads %s", (_name, body, expected) => {
    const callback = readVideoCallback(body);
    expect(callback).toMatchObject({ raw: body, ...expected });
    for (const field of ["id", "externalTaskId", "family", "handle", "status"] as const) {
      if (field !== "handle" && !(field in expected) && callback.family === undefined)
        expect(callback).not.toHaveProperty(field);
    }
    expect("handle" in callback).toBe(callback.family !== undefined);
  });

  it("makes a handle when the family is given, with the id that the family is read by", () => {
    const both = { id: "public", task_id: "inner", status: "running" };
    expect(readVideoCallback(both, { family: "content" }).handle).toEqual({
      v: 1,
      family: "content",
      id: "public",
    });
    expect(readVideoCallback(both, { family: "omni-video" }).handle).toMatchObject({ id: "inner" });
    expect(readVideoCallback(DATA, { family: "image2video" }).handle).toMatchObject({ id: DATA.task_id });
  });

  it("reads JSON text, and keeps what is none", () => {
    expect(readVideoCallback(JSON.stringify(CONTENT))).toMatchObject({ id: "cgt-1", raw: CONTENT });
    expect(readVideoCallback("<html>")).toEqual({ raw: "<html>" });
    expect(readVideoCallback("null")).toEqual({ raw: null });
  });

  it("knows no family but those there are, and no options as well", () => {
    expect(readVideoCallback({ task_id: "t" }, null as never)).toEqual({ raw: { task_id: "t" }, id: "t" });
    expect(readVideoCallback({ id: "t" }, { family: "dance" as never }).family).toBe("content");
    expect(readVideoCallback({ id: "t", task_status: "succeed" })).not.toHaveProperty("family");
    expect(readVideoCallback({ task_id: "t" }, { family: "content" }).id).toBe("t");
    const { handle } = readVideoCallback({ task_id: "t" }, { family: "omni-video" });
    expect(Object.keys(handle ?? {})).toEqual(["v", "family", "id"]);
  });

  it.each<unknown>([
    undefined,
    null,
    "",
    "{",
    "<html>",
    7,
    [],
    [[]],
    [7],
    {},
    { data: null },
    { id: {} },
    { id: "" },
  ])("says nothing about %j, and does not throw", (body) => {
    const callback = readVideoCallback(body, { family: "content" });
    expect(callback).not.toHaveProperty("id");
    expect(callback).not.toHaveProperty("handle");
    expect(callback).not.toHaveProperty("status");
    expect(callback.raw).toEqual(body);
  });

  it("makes no handle of an id that would leave its path, nor of a family nobody knows", () => {
    expect(readVideoCallback({ id: "..", status: "running" })).not.toHaveProperty("handle");
    const family = "toString" as "content";
    expect(readVideoCallback(DATA, { family })).not.toHaveProperty("family");
  });
});
