import { describe, expect, it } from "vitest";
import { InvalidRequestError } from "../errors/errors.js";
import { Checker } from "./checker.js";

function problemsOf(body: object, check: (checker: Checker) => void): readonly object[] {
  const checker = new Checker(body);
  check(checker);
  try {
    checker.throwIfAny();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidRequestError);
    return (error as InvalidRequestError).problems;
  }
  return [];
}

describe("a checker", () => {
  it.each([null, "text", 1, undefined])("refuses a body that is %j", (body) => {
    expect(() => new Checker(body as never)).toThrow("The request was not sent: body must be an object.");
  });

  it("reports everything that is wrong at once, with the values that were given", () => {
    const problems = problemsOf({ model: "", count: 0 }, (check) => {
      check.requiredString("model");
      check.requiredArray("messages");
      check.integerFrom("count", 1);
      check.add("size", "is too large");
    });
    expect(problems).toEqual([
      { field: "model", message: "is required and must be a non-empty string" },
      { field: "messages", message: "is required and must be a non-empty array" },
      { field: "count", message: "must be a whole number from 1, and not 0" },
      { field: "size", message: "is too large" },
    ]);
    expect((problems[2] as { value: unknown }).value).toBe(0);
  });

  it.each([
    ["text", true],
    ["", false],
    [1, false],
    [["a"], false],
    [undefined, false],
  ])("requires a string: %j is one: %s", (value, fine) => {
    expect(problemsOf({ value }, (check) => check.requiredString("value"))).toHaveLength(fine ? 0 : 1);
  });

  it.each([
    [["a"], true],
    [[], false],
    ["text", false],
    [{ length: 1 }, false],
    [undefined, false],
  ])("requires an array: %j is one: %s", (value, fine) => {
    expect(problemsOf({ value }, (check) => check.requiredArray("value"))).toHaveLength(fine ? 0 : 1);
  });

  it.each([
    [undefined, undefined],
    [null, undefined],
    [0, undefined],
    [2, undefined],
    [1.5, undefined],
    [-0.1, "-0.1"],
    [2.1, "2.1"],
    [Number.NaN, "NaN"],
    ["1", '"1"'],
    ["x".repeat(59), `"${"x".repeat(59)}…`],
    ["x".repeat(58), `"${"x".repeat(58)}"`],
  ])("takes numbers from 0 to 2: of %j it shows %s", (value, shown) => {
    expect(problemsOf({ value }, (check) => check.numberBetween("value", 0, 2))).toEqual(
      shown === undefined
        ? []
        : [{ field: "value", message: `must be a number from 0 to 2, and not ${shown}` }],
    );
  });

  it.each([
    [undefined, true],
    [null, true],
    [1, true],
    [7, true],
    [0, false],
    [1.5, false],
    ["2", false],
    [Number.POSITIVE_INFINITY, false],
  ])("takes whole numbers from 1: %j is one: %s", (value, fine) => {
    expect(problemsOf({ value }, (check) => check.integerFrom("value", 1))).toHaveLength(fine ? 0 : 1);
  });
});
