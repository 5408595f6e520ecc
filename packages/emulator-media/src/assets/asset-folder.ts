import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * The folder with the icons and the font. In the published package it lies beside the bundle; from source it is made
 * once by `make-assets.mjs` into a cache that is named after the script's own contents.
 */
export function assetFolder(): URL {
  return new URL(fromSource ? `../../node_modules/.cache/${cacheName()}/` : "./assets/", import.meta.url);
}

/** The path of an asset. */
export function assetPath(name: string): string {
  return fileURLToPath(new URL(name, assetFolder()));
}

/** A JSON asset. */
export function readAsset<Value>(name: string): Value {
  return JSON.parse(readFileSync(assetPath(name), "utf8")) as Value;
}

const fromSource = new URL(import.meta.url).pathname.endsWith(".ts");

function cacheName(): string {
  const maker = readFileSync(new URL("./make-assets.mjs", import.meta.url));
  // A short name of the contents; nothing but a change has to be noticed.
  let sum = 0;
  for (const byte of maker) sum = (Math.imul(sum, 31) + byte) >>> 0;
  return `media-assets-${sum.toString(16)}`;
}
