import { describe, expect, it } from "vitest";
import { stripMarkup } from "./strip-markup.js";

const fold = (text: string) => text.replace(/\s+/g, " ").trim();

describe("stripMarkup", () => {
  it.each([
    ["<h1>502</h1> Bad <b>gateway</b>", "502 Bad gateway"],
    ["<SCRIPT>if (a < b) x()</Script><p>text", "text"],
    ["<style>p{}</style >a<style media=x>b</style>c", "a c"],
    ["a<script>never closed > b", "a"],
    ["a<scripture>b</scripture>", "a"],
    ["a < b and c > d", "a d"],
    ["a <b", "a <b"],
    ["<<<>>>", ">>"],
    ["no markup", "no markup"],
    ["", ""],
    ["<script>x</script", "</script"],
  ])("%j is %j", (page, text) => {
    expect(fold(stripMarkup(page))).toBe(text);
  });
});
