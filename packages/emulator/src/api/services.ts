import type { StreamPace } from "../http/pace-stream.js";
import type { MediaFiles } from "../media/media-files.js";
import type { MediaRendererLease } from "../media/media-renderer-lease.js";
import type { ProfileSettings } from "../profiles/profile.js";
import type { Tape } from "../recordings/tape.js";
import type { FaultStore } from "../state/fault-store.js";
import type { GroupStore } from "../state/group-store.js";
import type { Journal } from "../state/journal.js";
import type { KeyStore } from "../state/key-store.js";
import type { Ledger } from "../state/ledger.js";
import type { ModelStore } from "../state/model-store.js";
import type { RateWindows } from "../state/rate-windows.js";
import type { ReplyStore } from "../state/reply-store.js";
import type { VirtualClock } from "../state/virtual-clock.js";
import type { CallbackLog } from "../tasks/callback-log.js";
import type { TaskStore } from "../tasks/task-store.js";
import type { Upstream } from "../upstream/upstream.js";
import type { ChatImageForm } from "./chat-image-form.js";

/** Real milliseconds by which answers are held back. */
export interface Latency {
  /** Before every answer. */
  responseMs: number;
  /** Before every event of a stream. */
  chunkMs: number;
}

/** Everything the endpoints share; one set per emulator. */
export interface Services {
  seed: number;
  latency: Latency;
  /** In whose shapes it answers, and how strict it is. */
  profile: ProfileSettings;
  /** How the bytes of streams are written. */
  pace: StreamPace;
  /** How the image-chat model puts its image into an answer, unless the prompt says otherwise. */
  chatImageForm: ChatImageForm;
  clock: VirtualClock;
  models: ModelStore;
  groups: GroupStore;
  keys: KeyStore;
  rates: RateWindows;
  ledger: Ledger;
  journal: Journal;
  faults: FaultStore;
  /** Serves what the emulator itself does not. */
  upstream: Upstream | undefined;
  /** Answers all calls in place of the endpoints, while they are recorded or replayed. */
  tape: Tape | undefined;
  replies: ReplyStore;
  /** What becomes of requests that no reply was written for. */
  unmatched: "answer" | "refuse";
  tasks: TaskStore;
  callbacks: CallbackLog;
  files: MediaFiles;
  media: MediaRendererLease;
  /** Whether long work may go to threads, whose time is not that of a simulated world. */
  threads: boolean;
  /** One per request in progress; aborting it ends the request. */
  openExchanges: Set<AbortController>;
}
