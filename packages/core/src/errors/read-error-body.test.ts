import { describe, expect, it } from "vitest";
import { isErrorEnvelope, isErrorValue, readErrorBody } from "./read-error-body.js";

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

describe("readErrorBody, field by field,", () => {
  it.each<[string, object, object]>([
    [
      "the inner fields first",
      { error: { message: "a", type: "b", code: 1 }, message: "c", type: "d", code: 2 },
      { message: "a", type: "b", code: "1" },
    ],
    [
      "the outer ones where the inner are not there",
      { error: {}, message: "c", type: "d", code: 2 },
      { message: "c", type: "d", code: "2" },
    ],
    [
      "the outer ones where the inner are blank",
      { error: { message: " ", type: "", code: "" }, message: "c", type: "d", code: "2" },
      { message: "c", type: "d", code: "2" },
    ],
    [
      "a sentence before all others",
      { error: "a", message: "b", msg: "c", detail: "d", type: "t", code: 7 },
      { message: "a", type: "t", code: "7" },
    ],
    ["message before msg", { message: "b", msg: "c", detail: "d" }, { message: "b" }],
    ["msg before detail", { msg: "c", detail: "d" }, { message: "c" }],
    ["the id inside the error first", { error: { request_id: "a" }, request_id: "b" }, { requestId: "a" }],
    ["the id beside the error", { error: {}, request_id: "b" }, { requestId: "b" }],
    ["the id in the other spelling", { error: "no", requestId: "b" }, { message: "no", requestId: "b" }],
    ["the documented spelling first", { request_id: "a", requestId: "b" }, { requestId: "a" }],
    [
      "details in their order, without those that say nothing",
      {
        detail: [
          { loc: ["body", 0], msg: "a" },
          { msg: "b" },
          { loc: ["x"] },
          "text",
          null,
          { loc: "y", msg: "c" },
        ],
      },
      { message: "body.0 a; b; c" },
    ],
    ["no message from details that say nothing", { detail: [{ msg: " " }] }, {}],
  ])("takes %s", (_what, body, expected) => {
    const nothing = { message: undefined, type: undefined, code: undefined, requestId: undefined };
    expect({ ...nothing, ...readErrorBody(body) }).toEqual({ ...nothing, ...expected });
  });

  it.each([
    ["  plain\n  text\t here ", "plain text here"],
    ["1 < 2 <b>", "1 < 2 <b>"],
    ["\n <p>page</p>", "page"],
    ["x".repeat(300), "x".repeat(300)],
    ["x".repeat(301), `${"x".repeat(300)}…`],
    [" ", undefined],
    ["<p></p>", undefined],
    [`<script>${"x".repeat(2 ** 18)}</script>late`, undefined],
    [`<script>${"x".repeat(2 ** 17)}</script>in time`, "in time"],
  ])("folds text that is no JSON: %#", (text, message) => {
    expect(readErrorBody(text)).toEqual({ message });
  });

  it("takes nothing from what is no object", () => {
    for (const body of [1, null, true, ["x"]]) expect(readErrorBody(body).message).toBeUndefined();
  });
});

describe("isErrorValue", () => {
  it.each([
    [{}, false],
    ["", false],
    [" ", false],
    [null, false],
    [undefined, false],
    [0, false],
    [[], false],
    ["no", true],
    [{ code: null }, true],
  ])("%j tells of an error: %s", (error, tells) => {
    expect(isErrorValue(error)).toBe(tells);
    expect(isErrorEnvelope({ error })).toBe(tells);
  });
});

describe("isErrorEnvelope by code, result and status", () => {
  it.each<[object, boolean]>([
    [{ code: 0, message: "m" }, false],
    [{ code: 200, message: "m" }, false],
    [{ code: 201, message: "m" }, true],
    [{ code: -1, message: "m" }, true],
    [{ code: "0", message: "m" }, false],
    [{ code: "200", message: "m" }, false],
    [{ code: "OK", message: "m" }, false],
    [{ code: "Success", message: "m" }, false],
    [{ code: "", message: "m" }, false],
    [{ code: "2000", message: "m" }, true],
    [{ code: "not_ok", message: "m" }, true],
    [{ code: "ok_not", message: "m" }, true],
    [{ code: null, message: "m" }, false],
    [{ message: "m" }, false],
    [{ code: 500 }, false],
    [{ code: "failed", message: " " }, false],
    [{ success: true }, false],
    [{ success: false }, true],
    [{ object: "list" }, false],
    [{ object: "error" }, true],
  ])("%j is one: %s", (body, envelope) => {
    expect(isErrorEnvelope(body)).toBe(envelope);
  });

  it.each(["choices", "data", "id", "task_id", "output", "results", "images", "metadata"])(
    "an answer with %s is none, unless that is empty",
    (name) => {
      for (const value of ["x", 0, {}, [1]])
        expect(isErrorEnvelope({ error: "no", [name]: value })).toBe(false);
      for (const value of [undefined, null, "", []])
        expect(isErrorEnvelope({ error: "no", [name]: value })).toBe(true);
    },
  );

  it.each([
    ["queued", false],
    ["completed", false],
    ["failed_over", false],
    ["not_failed", false],
    ["fail", true],
    ["Failed", true],
    ["FAILURE", true],
    ["error", true],
    [500, true],
    [[1], true],
  ])("an error with the status %j is one: %s", (status, envelope) => {
    expect(isErrorEnvelope({ error: "no", status })).toBe(envelope);
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
