import { createHash } from "node:crypto";
import type { VideoFamily, VideoRequests, VideoSubmission, VideoTask } from "@model-gateway/core";
import type { CallbackURLs } from "../callbacks/callback-urls.js";
import { completeSubmission } from "./complete-submission.js";
import type { TenantGateways } from "./tenant-gateways.js";
import type { VideoTaskRecord } from "./video-task-record.js";

/** What is known of a submission that is about to be sent. */
export interface Sending extends Pick<VideoTaskRecord, "key" | "tenant"> {
  submission: VideoSubmission;
  /** When it was submitted, if it may be sent again after the gateway turned it away: each time is the same purchase then. */
  createdAt?: number;
}

/** Sends submissions to the gateway. What comes of one is for the caller to write down. */
export class VideoSubmitter {
  /** Keys that are being paid for by this process. */
  private readonly paying = new Set<string>();

  constructor(
    private readonly gateways: TenantGateways,
    private readonly callbacks: CallbackURLs | undefined,
  ) {}

  isPaying(key: string): boolean {
    return this.paying.has(key);
  }

  /** @throws InvalidRequestError for what can never be sent */
  check(key: string, submission: VideoSubmission): void {
    const { family, body } = this.complete(key, submission);
    this.gateways.own.videos.check(family, body);
  }

  /**
   * Pays.
   *
   * @param options `once`: tries once, since whoever asks tries again later
   * @throws core's errors
   */
  async send(sending: Sending, { once = false } = {}): Promise<VideoTask> {
    const { key, tenant, createdAt, submission } = sending;
    const { family, body } = this.complete(key, submission);
    const { videos } = this.gateways.of(tenant);
    const options = {
      ...(once && { maxRetries: 0 }),
      ...(createdAt !== undefined && { idempotencyKey: purchaseId(key, createdAt) }),
      ...(tenant !== undefined && { budgetTag: tenant }),
    };
    return videos.createIn<VideoFamily>(family, body as VideoRequests[VideoFamily], options);
  }

  /** Does what has to do with paying for a key, which nobody reconciles meanwhile. */
  async whilePaying<T>(key: string, work: () => Promise<T>): Promise<T> {
    this.paying.add(key);
    try {
      return await work();
    } finally {
      this.paying.delete(key);
    }
  }

  private complete(key: string, submission: VideoSubmission): VideoSubmission {
    const callbackURL = this.callbacks?.sign(key, taskExpiryOf(submission));
    return completeSubmission(submission, { key, callbackURL });
  }
}

function purchaseId(key: string, createdAt: number): string {
  return createHash("sha256")
    .update(JSON.stringify([key, createdAt]))
    .digest("base64url");
}

function taskExpiryOf({ family, body }: VideoSubmission): number | undefined {
  return family === "content" ? body?.execution_expires_after : undefined;
}
