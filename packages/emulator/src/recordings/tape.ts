import type { Answer } from "../http/answer.js";
import type { SentCall } from "./describe-request.js";

/** A call that is recorded, or answered by a recording. */
export interface TapedCall extends SentCall {
  accept: string | null;
  /** The caller's key, which is written nowhere. */
  token: string | null;
  /** Aborts when the caller leaves or the emulator closes. */
  signal: AbortSignal;
  /** Says why it is answered as it is, for the journal. */
  explain(...lines: string[]): void;
}

/** A recording as lists show it. */
export interface RecordingEntry {
  /** Below the folder. */
  file: string;
  /** What it was recorded under, as `recordings.use` was told; null for none. */
  group: string | null;
  method: string;
  path: string;
  /** Whether it was given, or written, since the emulator was created. */
  used: boolean;
}

/** What answers all calls while they are recorded or replayed. */
export interface Tape {
  /** Where it records to, or replays from, in words. */
  readonly description: string;
  /** @throws APIError when there is nobody to answer, or no recording */
  answer(call: TapedCall): Promise<Answer>;
  /** Under which name the calls that follow are recorded, or looked for; null for none. */
  use(group: string | null): void;
  list(): RecordingEntry[];
  reset(): void;
  /** @throws Error when recordings could not be written */
  close(): Promise<void>;
}
