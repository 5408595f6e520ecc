export type { ChatImageForm } from "./chat-images/chat-image-form.js";
export {
  createEmulator,
  type Emulator,
  type EmulatorOptions,
  type EmulatorVideo,
} from "./create-emulator.js";
export type { ModelGroup } from "./models/model-table.js";
export type { BaseKind } from "./server/base-kinds.js";
export type { Fault, FaultKind } from "./state/fault-store.js";
export type { JournalEntry, JournalFilter } from "./state/journal.js";
export { type EmulatorKey, WELL_KNOWN_KEY } from "./state/key-store.js";
export type { CallbackAttempt, CallbackDelivery } from "./videos/callback-log.js";
export type { VideoTimings } from "./videos/task-store.js";
export type { VideoTaskStatus } from "./videos/video-task.js";
export type { VideoTaskBody } from "./videos/video-task-body.js";
export type { WrappedTaskBody } from "./videos/wrapped-task-body.js";
