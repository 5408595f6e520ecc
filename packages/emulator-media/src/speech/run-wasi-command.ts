import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from "@bjorn3/browser_wasi_shim";

const DIRECTORY = "/out";
const FILE = "file";
const SUCCESS = 0;

/** What a command may be given as its output file. */
export const OUTPUT_PATH = `${DIRECTORY}/${FILE}`;

/**
 * Runs a WASI command that needs nothing but its arguments, in ASCII, and writes one file, {@link OUTPUT_PATH}, which
 * stays in memory. It sees no other file, no clock that moves and no randomness, so equal arguments give equal bytes.
 *
 * Node's own WASI is not used: on Node 20 the whole process aborts after some dozen runs of a larger command, it
 * prints a warning, and the output would have to go through a folder on disk.
 *
 * @throws Error when the command exits with a code other than zero or writes nothing; the message has its complaint.
 * @throws RangeError for an argument with other characters.
 */
export function runWasiCommand(module: WebAssembly.Module, command: readonly string[]): Uint8Array {
  // The host reserves a byte for each character, and would write past them.
  const other = command.find((argument) => Buffer.byteLength(argument) !== argument.length);
  if (other !== undefined) throw new RangeError(`The argument ${JSON.stringify(other)} is not ASCII.`);
  const complaints: Uint8Array[] = [];
  const directory = new PreopenDirectory(DIRECTORY, new Map());
  const files = [
    new OpenFile(new File([])),
    new ConsoleStdout(() => undefined),
    new ConsoleStdout((bytes) => complaints.push(bytes)),
    directory,
  ];
  const host = new WASI([...command], [], files, { debug: false });
  const { random_get: _random, poll_oneoff: _wait, ...functions } = host.wasiImport;
  let memory: WebAssembly.Memory | undefined;
  functions["clock_time_get"] = (_clock: number, _precision: bigint, time: number) => {
    new DataView(memory!.buffer).setBigUint64(time, 0n, true);
    return SUCCESS;
  };
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: functions });
  const exports = instance.exports as { memory: WebAssembly.Memory; _start: () => unknown };
  memory = exports.memory;
  const exitCode = host.start({ exports });
  const file = (directory.dir.contents.get(FILE) as File | undefined)?.data ?? new Uint8Array();
  if (exitCode !== 0 || file.length === 0) {
    const complaint = Buffer.concat(complaints).toString().trim() || "it said nothing";
    throw new Error(`${command[0]} ended with exit code ${exitCode} and ${file.length} bytes: ${complaint}`);
  }
  return file;
}
