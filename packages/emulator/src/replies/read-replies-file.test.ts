import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startEmulator } from "../testing/start-emulator.js";
import { readRepliesFile } from "./read-replies-file.js";

async function file(name: string, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "replies-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

describe("a file of replies", () => {
  it("is YAML, or JSON, which is YAML too", async () => {
    const yaml = await file(
      "replies.yaml",
      `# Answers of the shop
replies:
  - when: { text: /order (\\d+)/i, turn: 1 }
    toolCalls:
      - name: find_order
        arguments: { id: no }
  - reply: |
      Two lines,
      as they stand.
`,
    );
    const rules = await readRepliesFile(yaml);
    expect(rules).toEqual([
      {
        when: { text: /order (\d+)/i, turn: 1 },
        toolCalls: [{ name: "find_order", arguments: { id: "no" } }],
      },
      { reply: "Two lines,\nas they stand.\n" },
    ]);
    const { ask } = await startEmulator({ replies: rules });
    expect(await ask("Hello")).toBe("Two lines,\nas they stand.\n");
    const json = await file("replies.json", JSON.stringify({ replies: [{ reply: { a: 1 } }] }));
    expect(await readRepliesFile(json)).toEqual([{ reply: { a: 1 } }]);
  });

  it.each([
    ["an unknown member", "replies:\n  - reply: a\n  - anser: b\n", ":3 replies[1].anser is unknown here"],
    [
      "one below",
      "replies:\n  - when:\n      text: a\n      modl: b\n    reply: c\n",
      ":4 replies[0].when.modl",
    ],
    [
      "a missing one",
      "replies:\n  - toolCalls:\n      - arguments: {}\n",
      ":3 replies[0].toolCalls[0].name is required",
    ],
    ["one of no sense", "replies:\n  - reply: a\n  - reasoning: b\n", ":3 A reply says something"],
    ["another list", "answers: []\n", ":1 answers is unknown here; there is replies"],
    ["no object", "- reply: a\n", ":1 The file must hold an object"],
    ["no YAML", "replies:\n  - reply: 'a\n", ":3:1 Missing closing 'quote"],
    ["a name twice", "replies: []\nreplies: []\n", ":2:1 Map keys must be unique"],
    ["an alias bomb", `a: &a [x, x]\n${bomb()}`, "alias"],
  ])("with %s is refused, with the line", async (_what, text, message) => {
    const path = await file("replies.yaml", text);
    await expect(readRepliesFile(path)).rejects.toThrow(message);
  });

  it("that is not there is told by its name", async () => {
    await expect(readRepliesFile("/nowhere/replies.yaml")).rejects.toThrow("/nowhere/replies.yaml");
  });
});

function bomb(): string {
  const names = [..."abcdefghij"];
  return names
    .slice(1)
    .map((name, index) => `${name}: &${name} [${`*${names[index]}, `.repeat(9)}]`)
    .join("\n");
}
