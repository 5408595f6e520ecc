import { CHAT_IMAGE_FORMS, type ChatImageForm } from "./api/chat-image-form.js";
import { requireOrigin } from "./http/listen-address.js";
import { STREAM_PACES, type StreamPace } from "./http/pace-stream.js";
import type { EmulatorState } from "./persistence/state-document.js";
import type { Profile } from "./profiles/profile.js";
import type { RecordOptions } from "./recordings/recorder.js";
import type { ReplayOptions } from "./recordings/replayer.js";
import type { EmulatorGroup } from "./state/group-store.js";
import { type JournalSettings, KEPT_BODIES } from "./state/journal.js";
import type { EmulatorKey } from "./state/key-store.js";
import type { EmulatorModel } from "./state/model-store.js";
import type { ReplyRule } from "./state/reply-store.js";
import type { VideoTimings } from "./tasks/task-store.js";
import type { UpstreamOptions } from "./upstream/upstream.js";

/** Settings of an emulator; every one has a default. */
export interface EmulatorOptions {
  /** Integer that decides every choice the local models make. Default 1. */
  seed?: number;
  /** Keys beside `sk-emulator`. */
  keys?: readonly EmulatorKey[];
  /** Takes any key, not only those that it knows: unknown ones are in group `default`. Default false. */
  anyKey?: boolean;
  /** Models of one's own: other ids for those that it serves, such as `{ id: "gpt-4o", like: "local-chat" }`. */
  models?: readonly EmulatorModel[];
  /** Answers that are written by hand: the first that fits a request is given. */
  replies?: readonly ReplyRule[];
  /** What becomes of a POST that none of the replies is for: `answer` it as usual, the default, or `refuse` it. */
  unmatched?: "answer" | "refuse";
  /** How strict it is, and in the shapes of which route it answers: a profile by its name, or settings. Default `spec`. */
  profile?: Profile;
  /** Where requests go for models that it does not serve, and for tasks that it did not make. Default: nowhere, they are refused. */
  upstream?: UpstreamOptions;
  /** Sends all calls to the upstream, which it needs, and writes down each, without secrets. Default: records nothing. */
  record?: RecordOptions;
  /** Answers all calls by what was recorded, and none otherwise. Default: replays nothing. */
  replay?: ReplayOptions;
  /** Token groups beside `default`, `auto` and `image_video`. */
  groups?: readonly EmulatorGroup[];
  /** Real milliseconds before every answer; the events of a stream follow at a tenth of it. Default 0. */
  latency?: number;
  /**
   * How the bytes of a stream are written: one event per write with a turn of the event loop before each (`events`,
   * the default, as a real route does), all in one (`whole`), one by one (`bytes`), or cut anywhere by the seed (`cuts`).
   */
  pace?: StreamPace;
  /** What the journal keeps of bodies; `maxBytes` of whole ones in all. Default `{ bodies: "whole", maxBytes: 67108864 }`. */
  journal?: Partial<JournalSettings>;
  /**
   * Folder that keeps everything, for the next emulator that is given it: what these options name is added to what it
   * holds, where it is not there. Rendered media lie in its `media/`. One emulator at a time; default: memory only.
   */
  dataDir?: string;
  /** State to begin with, as `state.export()` gave it, unless `dataDir` holds one already. `reset` returns to it. */
  state?: EmulatorState;
  /** How `local-chat-image` puts its image into an answer; a marker `[[as:…]]` in a prompt overrides it. Default `markdown`. */
  chatImageForm?: ChatImageForm;
  /** Origins of web pages that may call the API, such as `http://localhost:5173`; `*` for all. Default: none. */
  cors?: readonly string[];
  /** How long a video task takes, in milliseconds of the emulator's clock. Default 500 queued, 2500 running. */
  videoTimings?: Partial<VideoTimings>;
}

/** Options with every default filled in. */
export interface SettledOptions
  extends Required<
    Omit<EmulatorOptions, "dataDir" | "state" | "videoTimings" | "journal" | "upstream" | "record" | "replay">
  > {
  journal: JournalSettings;
  dataDir: string | undefined;
  state: EmulatorState | undefined;
  upstream: UpstreamOptions | undefined;
  record: RecordOptions | undefined;
  replay: ReplayOptions | undefined;
  videoTimings: VideoTimings;
}

const DEFAULT_JOURNAL: JournalSettings = { bodies: "whole", maxBytes: 64 * 1_024 * 1_024 };
const DEFAULT_TIMINGS: VideoTimings = { queuedMs: 500, runningMs: 2_500 };

/** Fills in the defaults. @throws TypeError for an option out of range */
export function settleOptions(options: EmulatorOptions): SettledOptions {
  const { seed = 1, latency = 0, pace = "events", keys = [], groups = [], dataDir } = options;
  const { anyKey = false, models = [], cors = [], chatImageForm = "markdown" } = options;
  const { replies = [], unmatched = "answer", profile = "spec" } = options;
  if (!Number.isSafeInteger(seed)) throw new TypeError(`seed must be an integer (got ${seed}).`);
  if (!CHAT_IMAGE_FORMS.includes(chatImageForm)) {
    throw new TypeError(
      `chatImageForm must be one of ${CHAT_IMAGE_FORMS.join(", ")} (got ${chatImageForm}).`,
    );
  }
  if (!STREAM_PACES.includes(pace)) {
    throw new TypeError(`pace must be one of ${STREAM_PACES.join(", ")} (got ${pace}).`);
  }
  if (unmatched !== "answer" && unmatched !== "refuse") {
    throw new TypeError(`unmatched must be answer or refuse (got ${unmatched}).`);
  }
  for (const origin of cors) if (origin !== "*") requireOrigin("cors", origin);
  const { upstream, record, replay } = options;
  if (record && !upstream) throw new TypeError("record needs an upstream: whose answers are recorded.");
  if (replay && (record || upstream)) {
    throw new TypeError(
      `replay and ${record ? "record" : "upstream"} exclude each other: what is replayed asks nobody.`,
    );
  }
  const journal = { ...DEFAULT_JOURNAL, ...options.journal };
  if (!KEPT_BODIES.includes(journal.bodies)) {
    throw new TypeError(`journal.bodies must be one of ${KEPT_BODIES.join(", ")} (got ${journal.bodies}).`);
  }
  if (!(journal.maxBytes >= 0)) {
    throw new TypeError(`journal.maxBytes must be a number of at least 0 (got ${journal.maxBytes}).`);
  }
  const videoTimings = { ...DEFAULT_TIMINGS, ...options.videoTimings };
  for (const [name, ms] of Object.entries({ latency, ...videoTimings })) {
    if (!Number.isFinite(ms) || ms < 0) {
      throw new TypeError(`${name} must be milliseconds of at least 0 (got ${ms}).`);
    }
  }
  return {
    seed,
    latency,
    pace,
    keys,
    anyKey,
    models,
    replies,
    unmatched,
    profile,
    upstream,
    record,
    replay,
    groups,
    cors,
    journal,
    dataDir,
    state: options.state,
    chatImageForm,
    videoTimings,
  };
}
