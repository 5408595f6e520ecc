// Numbers of the WASI preview 1 interface that are used here.
const SUCCESS = 0;
const BAD_FILE = 8;
const NO_SUCH_FILE = 44;
const STANDARD_ERROR = 2;
const DIRECTORY = 3;
const OUTPUT_FILE = 4;
const TYPE_CHARACTER_DEVICE = 2;
const TYPE_DIRECTORY = 3;
const TYPE_REGULAR_FILE = 4;
const CREATE = 1;
const SEEK_CURRENT = 1;
const SEEK_END = 2;
const ALL_RIGHTS = 0xffff_ffff_ffff_ffffn;

const DIRECTORY_NAME = "/out";

/** What a command may be given as its output file. */
export const OUTPUT_PATH = `${DIRECTORY_NAME}/file`;

/** Ends the run of a command, from within it. */
class Exit {
  constructor(readonly code: number) {}
}

/**
 * Runs a WASI command that needs nothing but its arguments and writes one file, {@link OUTPUT_PATH}, which stays in
 * memory. It sees no other file, no clock that moves and no randomness, so equal arguments give equal bytes.
 *
 * Node's own WASI is not used: on Node 20 the whole process aborts after some dozen runs of a larger command, it
 * prints a warning, and the output would have to go through a folder on disk.
 *
 * @throws Error when the command exits with a code other than zero or writes nothing; the message has its complaint.
 */
export function runWasiCommand(module: WebAssembly.Module, command: readonly string[]): Uint8Array {
  const output = new GrowingFile();
  const complaints: Uint8Array[] = [];
  const encodedArguments = command.map((argument) => Buffer.from(`${argument}\0`));
  let memory: WebAssembly.Memory | undefined;
  const view = () => new DataView(memory!.buffer);
  const bytes = (at: number, length: number) => new Uint8Array(memory!.buffer, at, length);

  const host = {
    args_sizes_get(count: number, size: number) {
      view().setUint32(count, encodedArguments.length, true);
      view().setUint32(
        size,
        encodedArguments.reduce((sum, { length }) => sum + length, 0),
        true,
      );
      return SUCCESS;
    },
    args_get(pointers: number, buffer: number) {
      let to = buffer;
      for (const [index, argument] of encodedArguments.entries()) {
        view().setUint32(pointers + 4 * index, to, true);
        bytes(to, argument.length).set(argument);
        to += argument.length;
      }
      return SUCCESS;
    },
    clock_time_get(_clock: number, _precision: bigint, time: number) {
      view().setBigUint64(time, 0n, true);
      return SUCCESS;
    },
    fd_close: () => SUCCESS,
    fd_fdstat_get(file: number, status: number) {
      if (file > OUTPUT_FILE) return BAD_FILE;
      const types: Record<number, number> = { [DIRECTORY]: TYPE_DIRECTORY, [OUTPUT_FILE]: TYPE_REGULAR_FILE };
      view().setUint8(status, types[file] ?? TYPE_CHARACTER_DEVICE);
      view().setUint16(status + 2, 0, true);
      view().setBigUint64(status + 8, ALL_RIGHTS, true);
      view().setBigUint64(status + 16, ALL_RIGHTS, true);
      return SUCCESS;
    },
    fd_fdstat_set_flags: () => SUCCESS,
    fd_prestat_get(file: number, status: number) {
      if (file !== DIRECTORY) return BAD_FILE;
      view().setUint32(status, 0, true);
      view().setUint32(status + 4, DIRECTORY_NAME.length, true);
      return SUCCESS;
    },
    fd_prestat_dir_name(file: number, name: number, length: number) {
      if (file !== DIRECTORY) return BAD_FILE;
      bytes(name, length).set(Buffer.from(DIRECTORY_NAME).subarray(0, length));
      return SUCCESS;
    },
    fd_read(_file: number, _vectors: number, _count: number, read: number) {
      view().setUint32(read, 0, true);
      return SUCCESS;
    },
    fd_seek(file: number, offset: bigint, origin: number, position: number) {
      if (file !== OUTPUT_FILE) return BAD_FILE;
      view().setBigUint64(position, BigInt(output.seek(Number(offset), origin)), true);
      return SUCCESS;
    },
    fd_write(file: number, vectors: number, count: number, written: number) {
      let total = 0;
      for (let index = 0; index < count; index++) {
        const at = view().getUint32(vectors + 8 * index, true);
        const length = view().getUint32(vectors + 8 * index + 4, true);
        if (file === OUTPUT_FILE) output.write(bytes(at, length));
        if (file === STANDARD_ERROR) complaints.push(bytes(at, length).slice());
        total += length;
      }
      view().setUint32(written, total, true);
      return SUCCESS;
    },
    path_open(
      _directory: number,
      _lookup: number,
      _path: number,
      _length: number,
      flags: number,
      _rights: bigint,
      _inherited: bigint,
      _descriptorFlags: number,
      file: number,
    ) {
      if ((flags & CREATE) === 0) return NO_SUCH_FILE;
      view().setUint32(file, OUTPUT_FILE, true);
      return SUCCESS;
    },
    proc_exit(code: number) {
      throw new Exit(code);
    },
  };

  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: host });
  memory = instance.exports["memory"] as WebAssembly.Memory;
  const exitCode = start(instance.exports["_start"] as () => void);
  const file = output.contents();
  if (exitCode !== 0 || file.length === 0) {
    const complaint = Buffer.concat(complaints).toString().trim() || "it said nothing";
    throw new Error(`${command[0]} ended with exit code ${exitCode} and ${file.length} bytes: ${complaint}`);
  }
  return file;
}

function start(main: () => void): number {
  try {
    main();
    return 0;
  } catch (error) {
    if (error instanceof Exit) return error.code;
    throw error;
  }
}

/** A file in memory with a position, as C programs expect of files. */
class GrowingFile {
  #bytes = new Uint8Array(64 * 1024);
  #length = 0;
  #position = 0;

  write(bytes: Uint8Array): void {
    const end = this.#position + bytes.length;
    if (end > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(end, 2 * this.#bytes.length));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, this.#position);
    this.#position = end;
    this.#length = Math.max(this.#length, end);
  }

  seek(offset: number, origin: number): number {
    const origins: Record<number, number> = { [SEEK_CURRENT]: this.#position, [SEEK_END]: this.#length };
    const from = origins[origin] ?? 0;
    this.#position = Math.max(0, from + offset);
    return this.#position;
  }

  contents(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}
