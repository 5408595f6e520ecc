import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../testing/temporary-folder.js";
import type { KeptEntry } from "./kept-entry.js";
import { LargeTexts } from "./large-texts.js";
import { StateFile } from "./state-file.js";

const entry = (key: string, value: object = { key }): KeptEntry => ({ part: "keys", key, value });

function stateFile(folder = temporaryFolder()) {
  const path = join(folder, "state.jsonl");
  const texts = join(folder, "files");
  const file = new StateFile(path, new LargeTexts(texts));
  onTestFinished(() => file.close());
  return { file, path, texts, read: () => new StateFile(path, new LargeTexts(texts)).read() };
}

describe("a state file", () => {
  it("is nothing before it is written, and then what was written and added, in order", () => {
    const { file, read } = stateFile();
    expect(read()).toBeUndefined();
    file.rewrite([entry("a"), entry("b"), entry("c")]);
    file.append([entry("a", { key: "a", disabled: true })]);
    // What is gone and comes again is the last.
    file.append([{ part: "keys", key: "b" }, entry("b"), { part: "keys", key: "none" }]);
    expect(read()).toEqual([entry("a", { key: "a", disabled: true }), entry("c"), entry("b")]);
  });

  it("is for its owner only", () => {
    const { file, path, texts } = stateFile();
    file.rewrite([entry("a", { text: "x".repeat(70_000) })]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(texts).mode & 0o777).toBe(0o700);
    expect(readdirSync(texts).map((name) => statSync(join(texts, name)).mode & 0o777)).toEqual([0o600]);
  });

  it("goes without a last line that is torn, wherever it is", () => {
    const { file, path, read } = stateFile();
    file.rewrite([entry("a")]);
    const whole = readFileSync(path).byteLength;
    file.append([entry("ä€😀")]);
    const bytes = readFileSync(path);
    for (let length = whole; length < bytes.byteLength; length++) {
      writeFileSync(path, bytes.subarray(0, length));
      expect(read()).toEqual([entry("a")]);
    }
    writeFileSync(path, bytes);
    expect(read()).toHaveLength(2);
  });

  it.each([
    ["no JSON", "{broken"],
    ["another shape", '{"part":"keys"}'],
    ["a value that is none", '["keys","b",1]'],
    ["too much", '["keys","b",{},0]'],
    ["a key that is none", '["keys",7,{}]'],
  ])("names the line that is broken: %s", (_, line) => {
    const { file, path, read } = stateFile();
    file.rewrite([entry("a")]);
    appendFileSync(path, `${line}\n${JSON.stringify(["keys", "c", {}])}\n`);
    expect(read).toThrow(`${path}:3 cannot be read`);
  });

  it("is refused when a later version wrote it, or it is something else", () => {
    const { path, read } = stateFile();
    writeFileSync(path, '{"format":"model-gateway-emulator-state","version":2}\n');
    expect(read).toThrow(
      /state\.jsonl:1 cannot be read: version is 2: a later version .* update the emulator/,
    );
    writeFileSync(path, '{"format":"another"}\n');
    expect(read).toThrow('format must be "model-gateway-emulator-state"');
    writeFileSync(path, "");
    expect(read).toThrow("has no first line");
  });

  it("keeps texts whole, whatever they look like and however large they are", () => {
    const { file, texts, read } = stateFile();
    const large = "ä".repeat(70_000);
    const values = [
      "",
      "\0",
      "\0#",
      `\0#${"a".repeat(64)}`,
      "\0=x",
      large,
      `${large}\ud800`,
      "\ufeffx",
      "\u2028",
    ];
    file.rewrite([entry("a", { values, ["__proto__"]: 1 })]);
    file.append([entry("b", { again: large, nested: [{ values }] })]);
    expect(read()).toEqual([
      entry("a", { values, ["__proto__"]: 1 }),
      entry("b", { again: large, nested: [{ values }] }),
    ]);
    // The one without UTF-8 stands in its line.
    expect(readdirSync(texts)).toHaveLength(1);
  });

  it("deletes large texts that nothing holds any more", () => {
    const { file, texts, read } = stateFile();
    file.rewrite([entry("a", { text: "a".repeat(70_000) })]);
    file.append([entry("a", { text: "b".repeat(70_000) })]);
    expect(readdirSync(texts)).toHaveLength(2);
    file.rewrite(read() ?? []);
    expect(readdirSync(texts)).toHaveLength(1);
    file.append([entry("c", { text: "a".repeat(70_000) })]);
    expect(read()).toEqual([
      entry("a", { text: "b".repeat(70_000) }),
      entry("c", { text: "a".repeat(70_000) }),
    ]);
  });

  it("says which large text is missing, or is another", () => {
    const { file, path, texts, read } = stateFile();
    file.rewrite([entry("a", { text: "a".repeat(70_000) })]);
    const [name = ""] = readdirSync(texts);
    writeFileSync(join(texts, name), "other");
    expect(read).toThrow(`${path}:2 cannot be read: the file ${join(texts, name)} is not what was written`);
    writeFileSync(path, readFileSync(path, "utf8").replace(name, "../../etc/passwd"));
    expect(read).toThrow("is missing");
  });

  it("is bloated once what was added is more than what it holds", () => {
    const { file } = stateFile();
    const value = { texts: Array.from({ length: 1_000 }, () => "x".repeat(5_000)) };
    file.rewrite([entry("a", value)]);
    expect(file.isBloated).toBe(false);
    file.append([entry("a", value)]);
    expect(file.isBloated).toBe(false);
    file.append([entry("a", value)]);
    expect(file.isBloated).toBe(true);
    file.rewrite([entry("a", value)]);
    expect(file.isBloated).toBe(false);
  });

  it("leaves nothing aside when it cannot be written anew", () => {
    const folder = temporaryFolder();
    const { file, path, read } = stateFile(folder);
    file.rewrite([entry("a")]);
    function* failing() {
      yield entry("b");
      throw new Error("no more");
    }
    expect(() => file.rewrite(failing())).toThrow("no more");
    expect(read()).toEqual([entry("a")]);
    file.append([entry("c")]);
    expect(read()).toEqual([entry("a"), entry("c")]);
    expect(readdirSync(folder).sort()).toEqual(["files", "state.jsonl"]);
    expect(existsSync(path)).toBe(true);
  });
});
