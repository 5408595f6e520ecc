import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { ROOT } from "./wire-ledger.js";

interface Manifest {
  name: string;
  private?: boolean;
  exports: Record<string, string>;
}

/** Every entry of every published package, with its source. */
const entries = readdirSync(join(ROOT, "packages")).flatMap((folder) => {
  const manifest = JSON.parse(
    readFileSync(join(ROOT, "packages", folder, "package.json"), "utf8"),
  ) as Manifest;
  if (manifest.private) return [];
  return Object.entries(manifest.exports)
    .filter(([, source]) => source.endsWith(".ts"))
    .map(([entry, source]) => ({
      name: manifest.name + entry.slice(1),
      file: join(ROOT, "packages", folder, source),
    }));
});

const program = ts.createProgram({
  rootNames: entries.map(({ file }) => file),
  options: {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    experimentalDecorators: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  },
});

/** `type Name` for what exists in types only. */
function namesOf(file: string): string[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${file} exports nothing.`);
  return checker
    .getExportsOfModule(module)
    .map((symbol) => {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const typeOnly = symbol.declarations?.some(
        (declaration) =>
          ts.isExportSpecifier(declaration) &&
          (declaration.isTypeOnly || declaration.parent.parent.isTypeOnly),
      );
      return `${(target.flags & ts.SymbolFlags.Value) === 0 || typeOnly ? "type " : ""}${symbol.name}`;
    })
    .sort();
}

describe("nothing is exported by accident", () => {
  it.each(entries)("$name", async ({ name, file }) => {
    const snapshot = join("../exports", `${name.replace("@model-gateway/", "").replaceAll("/", "-")}.txt`);
    await expect(`${namesOf(file).join("\n")}\n`).toMatchFileSnapshot(snapshot);
  });
});
