import { expect, test } from "vitest";
import { nameColor } from "./name-color.js";

test.each([
  ["black", 10, 10, 14],
  ["white", 250, 250, 245],
  ["grey", 128, 130, 126],
  ["red", 220, 30, 30],
  ["orange", 240, 140, 30],
  ["brown", 110, 65, 25],
  ["yellow", 245, 220, 50],
  ["green", 40, 160, 60],
  ["green", 80, 80, 20],
  ["teal", 30, 150, 150],
  ["blue", 40, 80, 200],
  ["purple", 130, 50, 200],
  ["pink", 250, 120, 190],
  ["pink", 255, 180, 185],
])("calls something %s", (name, red, green, blue) => {
  expect(nameColor({ red, green, blue })).toBe(name);
});
