import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./wire-ledger.js";

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && existsSync(join(ROOT, file)));

/** Text without code, where brackets are no links. */
function proseOf(file: string): string {
  return readFileSync(join(ROOT, file), "utf8")
    .replace(/^```[\s\S]*?^```/gm, "")
    .replace(/`[^`\n]*`/g, "");
}

/** Headings as anchors, the way that repositories show them. */
function anchorsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), "utf8").replace(/^```[\s\S]*?^```/gm, "");
  return [...text.matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- _]/gu, "")
      .replaceAll(" ", "-"),
  );
}

describe("links in documents", () => {
  it.each(files)("of %s lead somewhere", (file) => {
    const broken = [...proseOf(file).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [path = "", anchor] = target.split("#");
        const found = path === "" ? file : relative(ROOT, join(ROOT, dirname(file), path));
        if (!existsSync(join(ROOT, found))) return true;
        return anchor !== undefined && !anchorsOf(found).includes(anchor);
      });
    expect(broken).toEqual([]);
  });
});
