import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { closeMedia } from "../render/close-media.js";
import { renderImage } from "../render/render-image.js";
import { readScene } from "./read-scene.js";
import type { Subject } from "./scene.js";

// The first picture makes the assets where they are read from source.
beforeAll(async () => {
  await renderImage({ width: 16, height: 16, prompt: "", seed: 1, format: "png" });
  await closeMedia();
});

/** `2 dog red left`, for each subject. */
const subjectsOf = (prompt: string) =>
  readScene(prompt).subjects.map(({ figure, label, count, colors, side }: Subject) =>
    [count, figure ?? `"${label}"`, ...colors, side].filter((part) => part !== undefined).join(" "),
  );

describe("subjects", () => {
  test.each([
    ["three black cats", ["3 cat black"]],
    ["drei schwarze Katzen", ["3 cat black"]],
    ["三只黑色的猫", ["3 cat black"]],
    ["a red car on the left and a blue house on the right", ["1 automobile red left", "1 house blue right"]],
    [
      "Ein grünes Auto links und ein gelbes Fahrrad rechts",
      ["1 automobile green left", "1 bicycle yellow right"],
    ],
    ["左边一只红色的狗，右边两只蓝色的鸟", ["1 dog red left", "2 bird blue right"]],
    ["a cat to the left of a dog", ["1 cat left", "1 dog right"]],
    ["猫在狗的右边", ["1 cat right", "1 dog left"]],
    ["red and blue balloons", ["2 balloon red blue"]],
    ["an orange", ["1 tangerine"]],
    ["an orange cat", ["1 cat orange"]],
    ["the house is green", ["1 house green"]],
    ["wolves, mice and geese", ["1 wolf", "1 mouse", "1 goose"]],
    ["Rennwagen und Apfelbäume", ["1 racing-car", "1 deciduous-tree"]],
    ["a park without dogs", []],
    ["ein Strand ohne Menschen", []],
    ["没有人的街道", []],
    ["99 sheep", ["24 ewe"]],
    ["a purple flumbox", ['1 "flumbox" purple']],
    ["一个紫色的咕噜机", ['1 "咕噜机" purple']],
    ["a sunset over mountains", []],
    ["", []],
  ])("of %s", (prompt, subjects) => {
    expect(subjectsOf(prompt)).toEqual(subjects);
  });
});

describe("surroundings", () => {
  test.each([
    ["a dog on the beach at sunset", { ground: "beach", time: "dusk" }],
    ["ein Hund am Strand bei Sonnenuntergang", { ground: "beach", time: "dusk" }],
    ["夕阳下沙滩上的狗", { ground: "beach", time: "dusk" }],
    ["a boat on the sea in the morning", { ground: "sea", time: "dawn" }],
    ["a dog by the sea", { ground: "beach" }],
    ["a boat", { ground: "sea" }],
    ["a city at night in the rain", { ground: "city", time: "night", weather: ["rain"] }],
    ["Nebel im Wald", { ground: "forest", weather: ["fog"] }],
    ["下雪的夜晚", { ground: "snow", time: "night", weather: ["snow"] }],
    ["a cup of coffee", { ground: "room" }],
    ["a red square", { ground: "studio" }],
    ["a red circle on a white background", { ground: "studio", background: "white" }],
    ["蓝色背景上的黄色星星", { ground: "studio", background: "blue" }],
    ["ein Stern auf blauem Hintergrund", { ground: "studio" }],
    ["mountains with a rainbow", { backdrops: ["mountains", "rainbow"] }],
    ["an astronaut in space", { ground: "space" }],
    ["a forest in autumn", { ground: "forest", autumn: true }],
  ])("of %s", (prompt, scene) => {
    expect(readScene(prompt)).toMatchObject(scene);
  });
});

test.each([
  ["one long word", "x".repeat(200_000)],
  ["a long Chinese text", "狐".repeat(100_000)],
  ["many things", "a red cat and ".repeat(20_000)],
  ["what is no text", "\u0000\ud83e<svg>&\"'</svg>"],
])("is read of %s", (_, prompt) => {
  expect(readScene(prompt).subjects.length).toBeLessThanOrEqual(8);
});

test("equal requests give equal bytes in two processes", async () => {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  const script = fileURLToPath(new URL("../../test/print-digests.ts", import.meta.url));
  const run = async () =>
    (await promisify(execFile)(process.execPath, ["--import", tsx, script])).stdout.trim().split("\n");
  const first = await run();
  expect(first).toHaveLength(4);
  expect(new Set(first).size).toBe(4);
  expect(await run()).toEqual(first);
});
