export type { ChatImageForm } from "./api/chat-image-form.js";
export { createEmulator } from "./create-emulator.js";
export type { Emulator, EmulatorVideo, ListenOptions } from "./emulator.js";
export type { EmulatorOptions } from "./emulator-options.js";
export { type ExpectedCall, expectCalls } from "./expect-calls.js";
export type { BaseKind } from "./http/base-kinds.js";
export type { StateSnapshot } from "./keeper/snapshot-shelf.js";
export type { EmulatorState } from "./persistence/state-document.js";
export type { Profile, ProfileName, ProfileSettings } from "./profiles/profile.js";
export type { RecordOptions } from "./recordings/recorder.js";
export type { ReplayOptions } from "./recordings/replayer.js";
export type { RecordingEntry } from "./recordings/tape.js";
export { readRepliesFile } from "./replies/read-replies-file.js";
export type { ActiveFault, Fault, FaultKind } from "./state/fault-store.js";
export type { EmulatorGroup } from "./state/group-store.js";
export type {
  JournalChange,
  JournalEntry,
  JournalFilter,
  JournalSettings,
  KeptBodies,
} from "./state/journal.js";
export { type EmulatorKey, type StoredKey, WELL_KNOWN_KEY } from "./state/key-store.js";
export type { CountedUsage, LedgerEntry, LedgerFilter, LedgerTotal } from "./state/ledger.js";
export { type ModelPrice, modelPrices } from "./state/model-prices.js";
export type { EmulatorModel, ServedModel } from "./state/model-store.js";
export type { ModelCapability, ModelGroup } from "./state/model-table.js";
export type { RecordedCall } from "./state/recorded-call.js";
export type {
  ActiveReply,
  JSONValue,
  ReplyCondition,
  ReplyRule,
  ReplyText,
  ScriptedRequest,
  ScriptedToolCall,
} from "./state/reply-store.js";
export type { CallbackAttempt, CallbackDelivery, CallbackFilter } from "./tasks/callback-log.js";
export type { VideoFilter, VideoTimings } from "./tasks/task-store.js";
export type { VideoFamily, VideoTaskStatus, VideoTaskStep } from "./tasks/video-task.js";
export type { UpstreamOptions } from "./upstream/upstream.js";
export type { FlatTaskBody } from "./videos/flat-task-body.js";
export type { WrappedTaskBody } from "./videos/wrapped-task-body.js";
