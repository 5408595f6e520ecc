import { relative } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/** How esbuild is asked, whoever's client it is. */
const SETTINGS = {
  bundle: true,
  splitting: true,
  minify: true,
  write: false,
  metafile: true,
  format: "esm",
  target: "es2022",
  platform: "neutral",
  mainFields: ["module", "main"],
  external: ["node:*"],
  outdir: "out",
  logLevel: "error",
};

/**
 * Sizes of a bundle in KiB, minified and after gzip.
 * @param {string} contents module whose exports the bundle is to hold
 * @param {string} resolveDir folder that its imports are looked up from
 * @param {string[]} conditions what the bundler chooses files by beside `import`, such as `browser`
 * @returns {Promise<{ first: number, all: number, parts: Map<string, number> }>} what is loaded first, that with what is
 * loaded later, and the share of each file in it
 */
export async function bundleSize(contents, resolveDir, conditions = []) {
  const { outputFiles, metafile } = await build({
    ...SETTINGS,
    stdin: { contents, resolveDir },
    conditions,
    absWorkingDir: resolveDir,
  });
  const sizes = new Map(
    outputFiles.map(({ path, contents }) => [relative(resolveDir, path), gzipSync(contents).length / 1024]),
  );
  const first = new Set(Object.keys(metafile.outputs).filter((path) => metafile.outputs[path].entryPoint));
  for (const path of first) {
    for (const { kind, path: imported } of metafile.outputs[path].imports) {
      if (kind === "import-statement" && imported in metafile.outputs) first.add(imported);
    }
  }
  const sum = (paths) => [...paths].reduce((total, path) => total + sizes.get(path), 0);
  const all = sum(sizes.keys());
  const held = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const bytes = held.reduce((total, [, { bytesInOutput }]) => total + bytesInOutput, 0);
  // What a file is after gzip depends on all others: its share of what is minified tells what it costs.
  const parts = new Map(held.map(([path, { bytesInOutput }]) => [path, (all * bytesInOutput) / bytes]));
  return { first: sum(first), all, parts };
}
