import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { type SourceFile, sourcesOf } from "./source-files.js";
import { ROOT } from "./wire-ledger.js";

/** An import of one room by another, by value or type, with the file that does it. */
interface Passage {
  from: string;
  to: string;
  by: string;
}

const PACKAGES = readdirSync(join(ROOT, "packages")).filter((folder) =>
  existsSync(join(ROOT, "packages", folder, "src")),
);

/** Files of a package that its manifest chooses between, by the name they are imported under. */
type ChosenFiles = Record<string, Record<string, string>>;

function chosenFilesOf(folder: string): ChosenFiles {
  const manifest = readFileSync(join(ROOT, "packages", folder, "package.json"), "utf8");
  return (JSON.parse(manifest) as { imports?: ChosenFiles }).imports ?? {};
}

/** A folder is a room; a file that lies in no folder is one of its own. Parts of tests are none. */
function passagesOf(base: string, files: readonly SourceFile[], chosen: ChosenFiles = {}): Passage[] {
  const roomOf = (path: string) => {
    const inside = relative(base, path).replace(/\.[jt]sx?$/, "");
    return inside.includes(sep) ? dirname(inside) : `./${inside}`;
  };
  return files.flatMap(({ path, imports }) =>
    imports
      .flatMap((specifier) => {
        const targets = specifier.startsWith(".")
          ? [join(dirname(path), specifier)]
          : Object.values(chosen[specifier] ?? {}).map((file) => join(dirname(base), file));
        return targets.map((target) => ({
          from: roomOf(path),
          to: roomOf(normalize(target)),
          by: `${relative(base, path)} → ${specifier}`,
        }));
      })
      .filter(({ from, to }) => from !== to && !from.startsWith("testing")),
  );
}

/** Takes away rooms that import nothing that is left, again and again: what stays is cycles, and who leads to them. */
function cyclesOf(passages: readonly Passage[]): string[] {
  let left = [...passages];
  for (;;) {
    const importing = new Set(left.map(({ from }) => from));
    const imported = new Set(left.map(({ to }) => to));
    const kept = left.filter(({ from, to }) => importing.has(to) && imported.has(from));
    if (kept.length === left.length) return kept.map(({ by }) => by);
    left = kept;
  }
}

describe("the folders of a package are floors: none imports, by a way however long, what imports it", () => {
  it.each(PACKAGES)("%s", (folder) => {
    const files = sourcesOf(folder);
    expect(files.length).toBeGreaterThan(0);
    const passages = passagesOf(join("packages", folder, "src"), files, chosenFilesOf(folder));
    expect(cyclesOf(passages)).toEqual([]);
  });
});

describe("the search for cycles", () => {
  const file = (path: string, ...imports: string[]): SourceFile => ({
    path: join("src", path),
    imports,
    calls: [],
    strings: [],
    numbers: [],
  });

  it("finds a cycle over three rooms, and nothing of what leads to it or hangs below", () => {
    const files = [
      file("index.ts", "./a/one.js"),
      file("a/one.ts", "../b/two.js", "./other.js", "node:fs"),
      file("b/two.ts", "../c/three.js"),
      file("c/three.ts", "../a/other.js", "../d/four.js"),
      file("d/four.ts"),
    ];
    expect(cyclesOf(passagesOf("src", files))).toEqual([
      "a/one.ts → ../b/two.js",
      "b/two.ts → ../c/three.js",
      "c/three.ts → ../a/other.js",
    ]);
  });

  it("takes files that lie in no folder for rooms of their own", () => {
    const files = [
      file("emulator.ts"),
      file("app/build.ts", "../emulator.js"),
      file("create.ts", "./app/build.js"),
    ];
    expect(cyclesOf(passagesOf("src", files))).toEqual([]);
    const cycle = [...files, file("emulator.ts", "./create.js")];
    expect(cyclesOf(passagesOf("src", cycle))).toHaveLength(3);
  });

  it("follows a name to every file that the manifest chooses between", () => {
    const files = [file("call/a.ts", "#transport"), file("web/b.ts", "../call/a.js"), file("node/c.ts")];
    const chosen = { "#transport": { browser: "./src/web/b.ts", default: "./src/node/c.ts" } };
    expect(cyclesOf(passagesOf("src", files, chosen))).toEqual([
      "call/a.ts → #transport",
      "web/b.ts → ../call/a.js",
    ]);
  });

  it("leaves rooms alone that are named alike in two places", () => {
    expect(cyclesOf(passagesOf("src", [file("a/json/x.ts", "../../json/y.js"), file("json/y.ts")]))).toEqual(
      [],
    );
  });
});
