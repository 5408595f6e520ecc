export { BullMqVideoTaskStore, type BullMqVideoTaskStoreOptions } from "./bullmq/bullmq-video-task-store.js";
export type { VideoTaskConnection } from "./bullmq/connection-options.js";
