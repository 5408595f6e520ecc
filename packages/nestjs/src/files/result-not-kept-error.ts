import type { KeptFile } from "./file-store.js";

/**
 * The result of a call was paid for, and the store did not take all of its files. `result` has it: keep it, or send it on,
 * before its addresses die. To call again is to pay again.
 */
export class ResultNotKeptError<Result = unknown> extends Error {
  override readonly name = "ResultNotKeptError";
  /** What the call came to. Not shown where the error is logged. */
  declare readonly result: Result;
  /** Those that are kept all the same. */
  readonly files: readonly KeptFile[];

  constructor(result: Result, files: readonly KeptFile[], missing: number, cause: unknown) {
    super(
      `The result was paid for, and ${missing} of its ${missing + files.length} files could not be kept: ${String(cause)}. ` +
        "`result` of this error has it: keep it from there. To call again is to pay again.",
      { cause },
    );
    Object.defineProperty(this, "result", { value: result });
    this.files = files;
  }
}
