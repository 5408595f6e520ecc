import { HttpException } from "@nestjs/common";
import { VideoTaskStoreError } from "./video-task-store-error.js";

/**
 * What a store answers.
 *
 * @throws VideoTaskStoreError when it fails
 */
export async function fromStore<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof HttpException ? error : new VideoTaskStoreError(error);
  }
}
