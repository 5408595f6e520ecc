import { describe, expect, it } from "vitest";
import { findMarkdownImages } from "./find-markdown-images.js";

const A = "https://files.example/a.png";

describe("findMarkdownImages", () => {
  it.each<[string, string[]]>([
    [`![a](${A})`, [A]],
    [`![](${A})![b](http://x.example/b)`, [A, "http://x.example/b"]],
    [`![a]( <${A}> "title")`, [A]],
    [`![a](\n${A}\n)`, [A]],
    ["![a](data:image/png;base64,AAAA)", ["data:image/png;base64,AAAA"]],
    [`![a ![b](${A})`, [A]],
    [`![a] (${A}) ![b](${A})`, [A]],
    [`![a][ref] ![b](${A})`, [A]],
    [`![a](javascript:x) ![b](${A})`, [A]],
    ["![a](data:text/html,x)", []],
    [`![a](${A}`, []],
    [`![a](${A} never closed ![b](`, []],
    [`[a](${A})`, []],
    ["![", []],
    ["![]", []],
    ["![](", []],
    ["", []],
  ])("in %j are %j", (text, urls) => {
    expect(findMarkdownImages(text)).toEqual(urls);
  });
});
