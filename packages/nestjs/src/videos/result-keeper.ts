import {
  type Download,
  GatewayError,
  InvalidResponseError,
  type ModelGateway,
  type VideoTask,
  videoOutcome,
  withholdResult,
} from "@model-gateway/core";
import { Logger } from "@nestjs/common";
import { addressExpiry } from "../files/address-expiry.js";
import { fileKey } from "../files/file-key.js";
import type { FileStore } from "../files/file-store.js";
import { isRefusal } from "../files/is-refusal.js";
import { videoProblem } from "./video-problem.js";
import type { KeptResult, KeptVideoFile, VideoTaskKeeping } from "./video-task-record.js";

const PAGE = /^\s*(text\/html|application\/xhtml\+xml)\b/i;

/** How the files of tasks that succeed are kept. Durations are milliseconds. */
export interface KeeperSettings {
  store: FileStore;
  /** First part of the keys. */
  instance: string;
  concurrency: number;
  goneAfterMs: number;
  maxBytes: number | undefined;
  /** Between two attempts, at first and in the end. */
  backoff: { firstMs: number; maxMs: number };
}

/** What files are kept of, and the client that may read them. */
export interface KeepSource {
  key: string;
  gateway: ModelGateway;
}

/** What an attempt came to. */
export type KeepOutcome =
  | { task: VideoTask; kept: KeptResult }
  /** To be tried again, in so many milliseconds. */
  | { keeping: VideoTaskKeeping; againMs: number };

type FileOfTask = Pick<KeptVideoFile, "kind" | "index" | "key"> & { url: string };

/** A gateway that signs addresses anew as often as it is asked does not thereby have the files. */
const MAX_RENEWALS = 5;
/** A process that a file has arrived at comes back, or does not, within so long. */
const ARRIVED_MS = 24 * 3_600_000;
/** Shown as the extension of a file; what an address says beyond these is not taken over. */
const EXTENSION = /\.(mp4|webm|mov|mkv|gif|png|jpg|jpeg|webp|avif)$/i;

/** Downloads the files of tasks that succeeded into a store, some at a time. */
export class ResultKeeper {
  private readonly logger = new Logger("VideosService");
  private underWay = 0;
  private readonly waiting: Array<() => void> = [];

  constructor(private readonly settings: KeeperSettings) {}

  /** Whether a task has files that are to be kept before it succeeds. */
  wants(task: VideoTask): boolean {
    return videoOutcome(task) === "success";
  }

  /** A task as it is shown until its files are kept. */
  withhold(task: VideoTask): VideoTask {
    return this.wants(task) ? withholdResult(task) : task;
  }

  begin(task: VideoTask): VideoTaskKeeping {
    return withExpiry({ task, since: Date.now(), failedAttempts: 0 });
  }

  /** Whether an attempt would begin at once. */
  hasRoom(): boolean {
    return this.underWay < this.settings.concurrency;
  }

  /** Keeps what is not kept yet. Never rejects. After an abort the outcome says nothing. */
  async attempt(source: KeepSource, keeping: VideoTaskKeeping, signal: AbortSignal): Promise<KeepOutcome> {
    await this.enter();
    try {
      return await this.keepAll(source, keeping, signal);
    } finally {
      this.leave();
    }
  }

  private async keepAll(
    { key, gateway }: KeepSource,
    keeping: VideoTaskKeeping,
    signal: AbortSignal,
  ): Promise<KeepOutcome> {
    const { task } = keeping;
    const files: KeptVideoFile[] = [];
    const failed: Array<{ file: FileOfTask; error: unknown }> = [];
    for (const file of this.filesOf(key, task)) {
      if (signal.aborted) break;
      try {
        files.push(await this.keep(file, { gateway, origin: task.id, signal }));
      } catch (error) {
        failed.push({ file, error });
      }
    }
    const [first] = failed;
    if (first === undefined || signal.aborted) return { task, kept: { files } };

    const arrived = keeping.arrived || failed.some(({ error }) => hasArrived(error));
    const now = { ...keeping, ...(arrived && { arrived }) };
    const alive = failed.find(({ file, error }) => !this.isGone(file.url, error, now));
    const fresh = failed.some(({ error }) => isRefusal(error))
      ? await this.readAgain(gateway, task, signal)
      : undefined;
    const { renewals = 0 } = keeping;
    if (alive === undefined && (fresh === undefined || renewals >= MAX_RENEWALS)) {
      const problem = goneProblem(first.error, failed.length);
      this.logger.error(`Video ${key}: ${problem.message}`);
      return { task, kept: { files, problem } };
    }
    const renewed = alive === undefined && { renewals: renewals + 1 };
    return this.tryAgain(key, { ...now, ...renewed, task: fresh ?? task }, (alive ?? first).error);
  }

  private async keep(
    file: FileOfTask,
    { gateway, origin, signal }: { gateway: ModelGateway; origin: string; signal: AbortSignal },
  ): Promise<KeptVideoFile> {
    const { store, maxBytes } = this.settings;
    const { url, kind, index } = file;
    const options = { signal, ...(maxBytes !== undefined && { maxBytes }) };
    const kept = await store.keep(
      async (resume) => refusePage(await gateway.download(url, { ...options, ...(resume && { resume }) })),
      file.key,
      { origin, signal },
    );
    return { ...kept, kind, index };
  }

  private filesOf(key: string, { videos, lastFrameURL }: VideoTask): FileOfTask[] {
    const at = (kind: FileOfTask["kind"], index: number, name: string, url: string): FileOfTask => ({
      kind,
      index,
      url,
      key: fileKey(this.settings.instance, key, name + extensionOf(url, kind)),
    });
    return [
      ...videos.flatMap(({ url, watermarkURL }, index) => [
        at("video", index, `${index}`, url),
        ...(watermarkURL === undefined
          ? []
          : [at("watermarked", index, `${index}-watermarked`, watermarkURL)]),
      ]),
      ...(lastFrameURL === undefined ? [] : [at("last_frame", 0, "last-frame", lastFrameURL)]),
    ];
  }

  /** Whether nothing more is to be hoped for from an address. */
  private isGone(url: string, error: unknown, { since, arrived }: VideoTaskKeeping): boolean {
    // Trouble of the store: the file may have arrived, and wait for the store to be mended.
    if (!GatewayError.isInstance(error)) return false;
    if (error.kind === "invalid_request") return true;
    // Where it has arrived, another attempt may be made.
    if (arrived && Date.now() < since + ARRIVED_MS) return false;
    const expiresAt = addressExpiry(url);
    const { goneAfterMs } = this.settings;
    if (!isRefusal(error)) return expiresAt !== undefined && Date.now() > expiresAt + goneAfterMs;
    return Date.now() > (expiresAt ?? since + goneAfterMs);
  }

  /** The gateway may sign its addresses anew. @returns undefined when it has no others */
  private async readAgain(
    gateway: ModelGateway,
    task: VideoTask,
    signal: AbortSignal,
  ): Promise<VideoTask | undefined> {
    try {
      const read = await gateway.videos.retrieve(task.handle, { signal });
      return this.wants(read) && addressesOf(read).join() !== addressesOf(task).join() ? read : undefined;
    } catch {
      // What it has said before still holds.
      return undefined;
    }
  }

  private tryAgain(key: string, before: VideoTaskKeeping, error: unknown): KeepOutcome {
    const { firstMs, maxMs } = this.settings.backoff;
    const { failedAttempts } = before;
    const problem = videoProblem(error);
    const againMs = Math.min(firstMs * 2 ** Math.min(failedAttempts, 30), maxMs);
    if (before.problem?.kind !== problem.kind) {
      this.logger.warn(
        `The files of video ${key} cannot be kept yet (${problem.message}). The video is paid for and done; it is tried ` +
          "again until they are, or their addresses are dead.",
      );
    }
    const nextAttemptAt = Math.round(Date.now() + againMs);
    const keeping = { ...before, failedAttempts: failedAttempts + 1, problem, nextAttemptAt };
    return { keeping: withExpiry(keeping), againMs };
  }

  private async enter(): Promise<void> {
    if (!this.hasRoom()) {
      // Whoever leaves hands over its place.
      await new Promise<void>((resolve) => this.waiting.push(resolve));
      return;
    }
    this.underWay += 1;
  }

  private leave(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.underWay -= 1;
    else next();
  }
}

/** What a proxy says in place of the server of the files, with status 200: kept, it would be all that is left of the video. */
async function refusePage(download: Download): Promise<Download> {
  if (!PAGE.test(download.contentType)) return download;
  await download.body.cancel().catch(() => undefined);
  throw new InvalidResponseError(
    `Under the address of a file there was a page, of the type ${download.contentType}, which is not kept.`,
    { status: 200 },
  );
}

function withExpiry({ expiresAt: _before, ...keeping }: VideoTaskKeeping): VideoTaskKeeping {
  const times = addressesOf(keeping.task).flatMap((url) => addressExpiry(url) ?? []);
  return { ...keeping, ...(times.length > 0 && { expiresAt: Math.min(...times) }) };
}

function addressesOf({ videos, lastFrameURL }: VideoTask): string[] {
  return [...videos.flatMap(({ url, watermarkURL }) => [url, watermarkURL]), lastFrameURL].filter(
    (url) => url !== undefined,
  );
}

function hasArrived(error: unknown): boolean {
  return error instanceof Error && "arrived" in error && error.arrived === true;
}

function goneProblem(error: unknown, count: number) {
  const what = count === 1 ? "A file of it is" : `${count} files of it are`;
  const { message, ...problem } = videoProblem(error);
  return {
    ...problem,
    message: `${what} not kept, and cannot be any more: ${message} The video was paid for and is gone from its address; ask the gateway's operator for it by its task id.`,
  };
}

function extensionOf(url: string, kind: FileOfTask["kind"]): string {
  const path = URL.canParse(url) ? new URL(url).pathname : url;
  const [found] = EXTENSION.exec(path) ?? [];
  return found?.toLowerCase() ?? (kind === "last_frame" ? ".png" : ".mp4");
}
