import { systemErrorCode } from "../../files/system-error-code.js";

/**
 * What a write is for.
 * - `intent`: something is about to be paid for
 * - `outcome`: how that went; the task may have been paid for, and this is the one place that remembers it
 * - `end`: how a task ended; the gateway can be asked again for a while
 * - `progress`: anything that the gateway can be asked again
 */
export type WritePurpose = "intent" | "outcome" | "end" | "progress";

const MEANING: Record<WritePurpose, string> = {
  intent: "Nothing was sent to the gateway and nothing was paid.",
  outcome:
    "The task may have been paid for, and the journal still has it as submitting: nothing sends it again. Keep its " +
    "id from the log.",
  end: "The task has ended; the gateway is asked for it again at the next start, or when its key is reconciled.",
  progress: "The task is not lost: the journal has its id, and the gateway knows how it stands.",
};

const LACK_OF_ROOM: Record<string, string> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file may not grow any further",
};

/** The journal did not take a write. Says what that means for money and data, and what to do. */
export class JournalWriteError extends Error {
  override readonly name = "JournalWriteError";

  /** Whether writes work again by themselves once there is room. */
  readonly isTemporary: boolean;

  /** @param trouble what is wrong and what to do about it */
  constructor(
    readonly purpose: WritePurpose,
    trouble: string,
    { cause, isTemporary }: { cause: unknown; isTemporary: boolean },
  ) {
    super(`Video tasks cannot be written down: ${trouble} ${MEANING[purpose]}`, { cause });
    this.isTemporary = isTemporary;
  }
}

/** Whether a write failed because there is no room, so that it works again once there is. */
export function isLackOfRoom(error: unknown): boolean {
  return Object.hasOwn(LACK_OF_ROOM, systemErrorCode(error));
}

/** What is wrong, after a write that left the journal as it was. */
export function troubleOfWrite(path: string, error: unknown): string {
  const code = systemErrorCode(error);
  const reason = LACK_OF_ROOM[code];
  return reason === undefined
    ? `writing to ${path} failed (${String(error)}).`
    : `${reason} (${code}, ${path}). Make room: writing works again at once, without a restart.`;
}
