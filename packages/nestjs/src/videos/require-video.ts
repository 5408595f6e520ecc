import { NotFoundException } from "@nestjs/common";
import type { VideoTaskRecord } from "./video-task-record.js";

/** @throws NotFoundException when there is no record */
export function requireVideo(key: string, record: VideoTaskRecord | undefined): VideoTaskRecord {
  if (record === undefined) throw new NotFoundException(`There is no video with key ${key}.`);
  return record;
}
