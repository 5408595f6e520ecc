import { readFileSync } from "node:fs";
import { defineConfig, type Options } from "tsup";

/** What differs between the packages; everything else about a build is decided here, once. */
export interface PackageBuild {
  /** Entry files by output name; the output is one bundled file per entry. */
  entry: Record<string, string>;
  /** `["esm"]`, or `["esm", "cjs"]` for packages that Jest and CommonJS applications load. */
  format: Array<"esm" | "cjs">;
  /** `"neutral"` for code that must run on Node, edge runtimes and in browsers alike. */
  platform?: "node" | "neutral";
  /** Files that `imports` of the manifest chooses between, by output name and by the name they are imported under. */
  chosen?: { name: string; entry: Record<string, string> };
  /** Keeps the names of classes where a framework shows them: in logs, and when a dependency is missing. */
  keepNames?: boolean;
  /** Lets what finds files beside the bundle do so in CommonJS, too. */
  findsFiles?: boolean;
  /** Files that are loaded next to the bundle at run time (workers), built without types. */
  extra?: Options;
}

export function definePackageBuild(build: PackageBuild) {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const shared: Options = {
    format: build.format,
    platform: build.platform ?? "node",
    target: "node20",
    outDir: "dist",
    splitting: true,
    // `node:test` has no other name.
    removeNodeProtocol: build.platform === "neutral",
    treeshake: true,
    sourcemap: false,
    clean: true,
    external: build.chosen ? [build.chosen.name] : [],
    shims: build.findsFiles ?? false,
    keepNames: build.keepNames ?? false,
    define: { __PACKAGE_VERSION__: JSON.stringify(version) },
  };
  const { entry } = build;
  return defineConfig([
    { ...shared, entry: { ...entry, ...build.chosen?.entry }, dts: { entry } },
    ...(build.extra ? [build.extra] : []),
  ]);
}
