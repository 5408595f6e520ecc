import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Bundles the console into `console.js` and `console.css` of a folder. */
export async function buildConsole(outdir) {
  await build({
    entryPoints: [fileURLToPath(new URL("./console.tsx", import.meta.url))],
    outdir,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    logLevel: "warning",
  });
}

const [, script, outdir] = process.argv;
if (script === fileURLToPath(import.meta.url)) await buildConsole(outdir);
