import { describe, expect, it } from "vitest";
import { redactKey, redactText, redactValue } from "./redact.js";

const KEY = "sk-live-0123456789";

describe("redaction", () => {
  it("covers the key, and whatever has the form of one", () => {
    expect(redactText(`a ${KEY} b ${KEY}`, KEY)).toBe("a sk-*** b sk-***");
    expect(redactText("Bearer sk-abcdef", undefined)).toBe("Bearer sk-***");
    expect(redactText("Bearer sk-abcdef", "")).toBe("Bearer sk-***");
    expect(redactText("sk-abcde, task-abcdefgh, risk-free-living", "own")).toBe(
      "sk-abcde, task-abcdefgh, risk-free-living",
    );
    expect(redactText("key of another form: a.b+c", "a.b+c")).toBe("key of another form: sk-***");
  });

  it("leaves to models what only looks like a key", () => {
    expect(redactKey(`${KEY} and sk-example-1234567`, KEY)).toBe("sk-*** and sk-example-1234567");
    expect(redactKey("nothing", KEY)).toBe("nothing");
    expect(redactKey("nothing", undefined)).toBe("nothing");
    expect(redactKey("nothing", "")).toBe("nothing");
  });

  it("covers every text of a value, names of fields too", () => {
    const value = { [KEY]: [KEY, { deep: `x${KEY}` }], number: 7, none: null, flag: true };
    expect(redactValue(value, KEY)).toEqual({
      "sk-***": ["sk-***", { deep: "xsk-***" }],
      number: 7,
      none: null,
      flag: true,
    });
  });

  it("ends for values that nest without end: what lies too deep is left out", () => {
    const nest = (depth: number): unknown => (depth === 0 ? KEY : [nest(depth - 1)]);
    expect(JSON.stringify(redactValue(nest(64), KEY))).toContain("sk-***");
    expect(JSON.stringify(redactValue(nest(65), KEY))).toContain("…");
    const nestObjects = (depth: number): unknown => (depth === 0 ? KEY : { a: nestObjects(depth - 1) });
    expect(JSON.stringify(redactValue(nestObjects(64), KEY))).toContain("sk-***");
    expect(JSON.stringify(redactValue(nestObjects(65), KEY))).toContain("…");
    const endless = JSON.parse(`${"[".repeat(200_000)}${"]".repeat(200_000)}`);
    expect(JSON.stringify(redactValue(endless, KEY)).length).toBeLessThan(200);
  });
});
