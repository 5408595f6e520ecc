import { describe, expect, it } from "vitest";
import { splitImages } from "./output-images.js";

const DATA = "iVBORw0KGgo=";
const image = { type: "image", mimeType: "image/png", data: DATA };
const linked = { type: "image", url: "https://images.example/a.png" };
const text = (value: string) => ({ type: "text", text: value });

describe("images in the text of an answer", () => {
  it.each<[string, string, unknown[]]>([
    ["no image", "Just words.", [text("Just words.")]],
    ["nothing", "", []],
    ["a Markdown image", "![a](https://images.example/a.png)", [linked]],
    ["a Markdown image with a title", '![a](https://images.example/a.png "A")', [linked]],
    ["a Markdown image in angle brackets", "![a](<https://images.example/a.png>)", [linked]],
    ["a Markdown data URL", `![a](data:image/png;base64,${DATA})`, [image]],
    ["a bare data URL", `data:image/png;base64,${DATA}`, [image]],
    [
      "words on both sides",
      "Look: ![a](https://images.example/a.png) nice?",
      [text("Look: "), linked, text(" nice?")],
    ],
    [
      "two images",
      `![a](https://images.example/a.png)\n\n![b](data:image/png;base64,${DATA})`,
      [linked, image],
    ],
    ["a bare address", "See https://images.example/a.png", [text("See https://images.example/a.png")]],
    ["a link", "[a](https://images.example/a.png)", [text("[a](https://images.example/a.png)")]],
    [
      "an image behind a backtick whose line ends",
      "`a\n![a](https://images.example/a.png)`",
      [text("`a\n"), linked, text("`")],
    ],
    ["a relative path", "![a](./a.png)", [text("![a](./a.png)")]],
    [
      "an image in a code block",
      "```md\n![a](https://x.example/a.png)\n```",
      [text("```md\n![a](https://x.example/a.png)\n```")],
    ],
    [
      "an image in a code span",
      "Write `![a](https://x.example/a.png)`.",
      [text("Write `![a](https://x.example/a.png)`.")],
    ],
    ["an unfinished image", "![a](https://images.ex", [text("![a](https://images.ex")]],
  ])("%s", (_name, answer, blocks) => {
    expect(splitImages(answer)).toEqual(blocks);
  });

  it("reads megabytes of Base64", () => {
    const data = "A".repeat(8_000_000);
    expect(splitImages(`![a](data:image/png;base64,${data})`)).toEqual([{ ...image, data }]);
  });
});

describe("a hostile text", () => {
  const TIMES = 100_000;

  it.each([
    "![](a://",
    "![](a://b ",
    '![](a://b "',
    "![",
    "![]",
    "![](",
    "`",
    "```\n`",
    "data:image/",
    "data:image/png;base64,",
    "data:image/png;base64,A ![x](",
    "](a://b)",
    "   ![](a://b    ",
  ])("of nothing but %j is read in one go", (piece) => {
    const images = (times: number) =>
      splitImages(piece.repeat(times)).filter(({ type }) => type === "image").length;
    expect(images(TIMES + 10) - images(TIMES)).toBe(images(20) - images(10));
  });

  it("keeps every character that is no image", () => {
    for (const piece of ["![](a://", "![", "`", "data:image/", "](a://b)"]) {
      const text = piece.repeat(TIMES);
      expect(splitImages(text)).toEqual([{ type: "text", text }]);
    }
  });
});
