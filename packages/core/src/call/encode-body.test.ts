import { describe, expect, it } from "vitest";
import { InvalidRequestError } from "../errors/errors.js";
import type { Call } from "./call.js";
import { encodeBody } from "./encode-body.js";

const CALL: Call = { name: "x", method: "POST", path: "/x", cost: "billable", defaultTimeoutMs: 1 };

/** What `encodeBody` throws for a body. */
function refused(body: unknown): unknown {
  try {
    return encodeBody({ ...CALL, body });
  } catch (error) {
    return error;
  }
}

describe("encodeBody", () => {
  it("writes JSON, which can be sent again", () => {
    expect(encodeBody({ ...CALL, body: { a: [1, "ü"] } })).toEqual({
      body: '{"a":[1,"ü"]}',
      contentType: "application/json",
      replayable: true,
    });
  });

  it("has nothing to write for a call without a body, which can be sent again", () => {
    expect(encodeBody(CALL)).toEqual({ replayable: true });
  });

  it("leaves a body that is no JSON to the call", () => {
    const encoded = { body: "a=1", contentType: "application/x-www-form-urlencoded", replayable: false };
    expect(encodeBody({ ...CALL, body: { a: 2 }, encode: () => encoded })).toBe(encoded);
  });

  it("names the call and the reason of a body that JSON cannot hold, in one line", () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    const error = refused({ loop }) as InvalidRequestError;
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ method: "POST", path: "/x", cause: expect.any(TypeError) });
    expect(error.problems).toEqual([
      { field: "body", message: "cannot be written as JSON (Converting circular structure to JSON)" },
    ]);
  });

  it("takes what a body throws for the reason, whatever it is", () => {
    const throwing = {
      toJSON() {
        throw "not now";
      },
    };
    expect(refused(throwing)).toMatchObject({
      cause: "not now",
      problems: [{ message: "cannot be written as JSON (not now)" }],
    });
  });
});
