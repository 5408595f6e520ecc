import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MUTANTS } from "./mutants.js";
import { SCENARIOS } from "./scenarios.js";

const PACKAGES = join(import.meta.dirname, "..", "..");

describe("the faults that the simulation has to find", () => {
  it("are thirty or more, each a different one", () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(30);
    expect(new Set(MUTANTS.map(({ fault }) => fault)).size).toBe(MUTANTS.length);
  });

  it.each(MUTANTS)("can be put in: $fault", ({ file, from, to, scenarios }) => {
    const source = readFileSync(join(PACKAGES, file), "utf8");
    expect(source.split(from)).toHaveLength(2);
    expect(to).not.toBe(from);
    expect(Object.keys(SCENARIOS)).toEqual(expect.arrayContaining([...scenarios]));
  });
});
