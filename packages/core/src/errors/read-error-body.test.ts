import { describe, expect, it } from "vitest";
import { isErrorEnvelope, readErrorBody } from "./read-error-body.js";

describe("readErrorBody", () => {
  it.each<[string, unknown, object]>([
    [
      "the documented body",
      { error: { message: "m", type: "t", code: "c" } },
      { message: "m", type: "t", code: "c" },
    ],
    ["a numeric code", { error: { message: "m", code: 402 } }, { message: "m", code: "402" }],
    ["an error that is a sentence", { error: "m" }, { message: "m" }],
    [
      "a task error",
      { code: "task_not_exist", message: "m", data: null },
      { message: "m", code: "task_not_exist" },
    ],
    [
      "a video upstream's error",
      { code: 1200, message: "m", request_id: "r" },
      { message: "m", code: "1200" },
    ],
    ["a detail", { detail: "m" }, { message: "m" }],
    ["a list of details", { detail: [{ loc: ["body", "n"], msg: "wrong" }] }, { message: "body.n wrong" }],
    ["success false", { success: false, message: "m" }, { message: "m" }],
    ["an error object", { object: "error", message: "m", type: "t" }, { message: "m", type: "t" }],
    [
      "a web page",
      "<html><style>p{}</style><h1>502</h1> Bad&nbsp;Gateway</html>",
      { message: "502 Bad&nbsp;Gateway" },
    ],
    ["nothing", undefined, {}],
    ["an empty object", {}, {}],
    ["an array", [], {}],
  ])("reads %s", (_name, body, expected) => {
    const { message, type, code } = readErrorBody(body);
    expect({ message, type, code }).toEqual({
      message: undefined,
      type: undefined,
      code: undefined,
      ...expected,
    });
  });
});

describe("isErrorEnvelope", () => {
  it.each<[string, unknown]>([
    ["the documented body", { error: { message: "m" } }],
    ["an error that is a sentence", { error: "m" }],
    ["a task error", { code: "task_not_exist", message: "m", data: null }],
    ["a video upstream's error", { code: 1200, message: "m", request_id: "r" }],
    ["success false", { success: false, message: "m" }],
    ["an error object", { object: "error", message: "m" }],
    ["a failed status without a task", { status: "failure", message: "m", error: { message: "m" } }],
    ["images that all failed", { data: [], error: { message: "m" } }],
  ])("sees %s in an answer with status 200", (_name, body) => {
    expect(isErrorEnvelope(body)).toBe(true);
  });

  it.each<[string, unknown]>([
    ["a completion", { id: "x", choices: [] }],
    ["a failed task", { id: "t", status: "failed", error: { message: "m" } }],
    ["a wrapped success", { code: 0, message: "SUCCEED", data: { task_id: "1" } }],
    ["a worded success", { code: "success", message: "", data: { status: "QUEUED" } }],
    ["images of which one failed", { data: [{ url: "u" }], error: { message: "m" } }],
    ["a chunk with a null error", { id: "x", choices: [], error: null }],
    ["an empty object", {}],
    ["a number", 1],
  ])("takes %s for an answer", (_name, body) => {
    expect(isErrorEnvelope(body)).toBe(false);
  });
});
