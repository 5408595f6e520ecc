import { describe, expect, it } from "vitest";
import { findKnownPlaces } from "./places.js";

describe("well-known places", () => {
  it.each([
    ["From Oslo via New York City to Lisbon", ["Oslo", "New York City", "Lisbon"]],
    ["Von Köln über Wien nach Mailand", ["Köln", "Wien", "Mailand"]],
    ["从北京飞到里斯本", ["北京", "里斯本"]],
    ["What a nice day to split", []],
    ["Genua, Nizza und Pisa", ["Genua", "Nizza", "Pisa"]],
    ["Romans read in Reading", []],
  ])("%s", (text, expected) => {
    expect(findKnownPlaces(text).map(({ name }) => name)).toEqual(expected);
  });

  it("tell cities from countries", () => {
    expect(findKnownPlaces("Graz in Österreich").map(({ kind }) => kind)).toEqual(["city", "country"]);
  });
});
