import type { APIPromise } from "../call/api-promise.js";
import { type Call, type RequestOptions, SHORT_TIMEOUT_MS } from "../call/call.js";
import type { Sender } from "../call/sender.js";
import { checkDuration } from "../checks/check-numbers.js";
import { InvalidRequestError } from "../errors/errors.js";
import type { PollFailedEvent } from "../hooks/observer.js";
import type { VideoFamily, VideoTaskHandle } from "../tasks/video-task-handle.js";
import type { AddressKind } from "../transport/address-kind.js";
import type { PollPace, PollScheduler } from "./poll-scheduler.js";
import { ageOf, type PollOptions, pollVideoTask, type VideoPoll } from "./poll-video-task.js";
import { type ReadCallbackOptions, readVideoCallback, type VideoCallback } from "./read-video-callback.js";
import { readTaskId, readVideoTask } from "./read-video-task.js";
import { VideoTaskFailedError } from "./video-errors.js";
import { familyOfVideos, isTaskId, isVideoFamily, VIDEO_FAMILIES } from "./video-families.js";
import type {
  ImageToVideoRequest,
  OmniVideoRequest,
  VideoCreateRequest,
  VideoRequests,
  VideoTask,
} from "./video-types.js";
import { VideoTaskWatch, type VideoWatch, type WatchOptions } from "./watch-video-task.js";

/** Video tasks: created by one call, read by another, over minutes. */
export class Videos {
  constructor(
    private readonly sender: Sender,
    private readonly scheduler: PollScheduler,
    private readonly onPollFailed: (event: PollFailedEvent) => void,
  ) {}

  /**
   * Creates a task of the family `content` (`POST /videos`). Paid: never repeated after an ambiguous failure, which
   * carries `maybeProcessed: true`. Keep `task.handle` before anything else.
   */
  create(body: VideoCreateRequest, options?: RequestOptions): APIPromise<VideoTask> {
    return this.createIn("content", body, options);
  }

  /** Creates a task from a first frame (`POST /videos/image2video`). Paid, like `create`; see `createIn`. */
  imageToVideo(body: ImageToVideoRequest, options?: RequestOptions): APIPromise<VideoTask> {
    return this.createIn("image2video", body, options);
  }

  /** Creates an omni task (`POST /videos/omni-video`). Paid, like `create`; see `createIn`. */
  omniVideo(body: OmniVideoRequest, options?: RequestOptions): APIPromise<VideoTask> {
    return this.createIn("omni-video", body, options);
  }

  /**
   * Creates a task of any family: for code that gets the family as a value. Paid, like `create`.
   *
   * In `image2video` and `omni-video` the option `idempotencyKey` also becomes the body's `external_task_id`, when that
   * has none: the task can then be found again by the caller's own id.
   *
   * @throws InvalidRequestError for a body or a family that cannot be; nothing was sent
   */
  createIn<Family extends VideoFamily>(
    family: Family,
    body: VideoRequests[Family],
    options?: RequestOptions,
  ): APIPromise<VideoTask> {
    const { path, form, call: name, check } = familyOfVideos(family);
    const call: Call = {
      name,
      method: "POST",
      path,
      cost: "billable",
      body: form === "flat" ? body : withExternalId(body as { external_task_id?: string }, options),
      check: () => check(body),
      defaultTimeoutMs: SHORT_TIMEOUT_MS,
    };
    return this.sender.json(call, options, (answer, unreadable, info) => {
      const id = readTaskId(answer, form);
      if (id === undefined) throw unreadable("JSON that names no task: it has neither id nor task_id");
      const { trace } = info;
      const handle: VideoTaskHandle = {
        ...{ v: 1, family, id, address: addressOf(info), createdAt: Date.now() },
        ...(trace !== undefined && { trace }),
      };
      const task = readVideoTask(answer, handle);
      // An answer that only names the task says that it has been accepted.
      return task.rawStatus === undefined ? { ...task, status: "queued" } : task;
    });
  }

  /**
   * Checks a body as `createIn` does before it sends it: for those who write down what they are about to pay for.
   *
   * @throws InvalidRequestError for a body or a family that cannot be
   */
  check<Family extends VideoFamily>(family: Family, body: VideoRequests[Family]): void {
    familyOfVideos(family).check(body);
  }

  /**
   * Reads the body of a callback, as an object or as JSON text, in any known shape. Never throws. Callbacks are
   * unsigned: take the result as a hint to poll `handle` now, and never as the state of the task.
   */
  readCallback(body: unknown, options?: ReadCallbackOptions): VideoCallback {
    return readVideoCallback(body, options);
  }

  /** Reads a task where it was created. */
  retrieve(handle: VideoTaskHandle, options?: RequestOptions): APIPromise<VideoTask> {
    const call: Call = {
      name: "videos.retrieve",
      method: "GET",
      path: pathOf(handle),
      cost: "read",
      check: () => checkHandle(handle),
      address: handle?.address,
      trace: handle?.trace,
      defaultTimeoutMs: SHORT_TIMEOUT_MS,
    };
    return this.sender.json(call, options, (body, unreadable) => {
      const task = readVideoTask(body, handle);
      if (!saysAnything(task) && readTaskId(body, "flat") === undefined)
        throw unreadable("JSON that is no task: it has neither id nor status");
      return task;
    });
  }

  /**
   * Polls a task once, for a scheduler of one's own such as a job queue: says whether it changed and when the next
   * poll is due. A failed poll is part of the answer and no exception. Nothing but the caller holds the rate, and slows
   * down while `pollPace.outage` is set.
   */
  async poll(handle: VideoTaskHandle, options: PollOptions = {}): Promise<VideoPoll> {
    checkHandle(handle);
    checkPollOptions(options);
    const poll = await pollVideoTask(
      () => this.retrieve(handle, { signal: options.signal, maxRetries: 0 }),
      options,
      () => ageOf(handle),
    );
    this.scheduler.saw(handle.id, poll);
    this.tellFailed(handle, poll);
    return poll;
  }

  /** How fast the watches of this client poll right now: slower than they may after a 429, and during an outage. */
  get pollPace(): PollPace {
    return this.scheduler.pace();
  }

  /**
   * Polls a task and yields it at each change of status, progress, result URLs or error; ends after a terminal status.
   *
   * A poll that fails is no verdict on the task, which was paid for and goes on: the watch polls on, slowly (see
   * `PollBackoff`), until `timeoutMs`, and tells: `onPoll`, `watch.trouble`, the hook `onPollFailed`, a line of the
   * logger, or of the console where there is neither.
   */
  watch(handle: VideoTaskHandle, options: WatchOptions = {}): VideoWatch {
    checkHandle(handle);
    checkPollOptions(options);
    checkDuration("timeoutMs", options.timeoutMs);
    // The watch repeats polls by itself, at its own pace.
    return new VideoTaskWatch(
      handle,
      options,
      this.scheduler,
      (task, signal) => this.retrieve(task, { signal, maxRetries: 0 }),
      (poll) => this.tellFailed(handle, poll),
    );
  }

  /**
   * Waits for the succeeded task. Throws `VideoTaskFailedError` (with the task) when it failed, was cancelled or
   * expired, and `VideoTaskTimeoutError` (with the handle) at `timeoutMs`: without that it waits as long as it takes.
   */
  async wait(handle: VideoTaskHandle, options: WatchOptions = {}): Promise<VideoTask> {
    let last: VideoTask | undefined;
    for await (const task of this.watch(handle, options)) last = task;
    if (last?.status === "succeeded") return last;
    throw new VideoTaskFailedError(last as VideoTask);
  }

  private tellFailed(handle: VideoTaskHandle, { error, failedPolls, nextPollMs }: VideoPoll): void {
    if (error === undefined || failedPolls === 0 || error.kind === "aborted") return;
    const reason = `${error.kind}: ${error.message}`;
    this.onPollFailed({
      call: "videos.retrieve",
      method: "GET",
      path: pathOf(handle),
      address: error.timeline.at(-1)?.address ?? handle.address ?? "general",
      attempt: 1,
      task: handle.id,
      failedPolls,
      reason,
      ...(nextPollMs !== undefined && { nextPollMs }),
    });
  }
}

/** A word that is not known is read as running; no word at all, and nothing else, is somebody else's answer. */
function saysAnything({ rawStatus, progress, videos }: VideoTask): boolean {
  return rawStatus !== undefined || progress !== undefined || videos.length > 0;
}

function pathOf(handle: VideoTaskHandle): string {
  return `${VIDEO_FAMILIES[handle?.family]?.path}/${encodeURIComponent(String(handle?.id))}`;
}

function checkPollOptions({ intervalMs, backoff = {} }: PollOptions | WatchOptions): void {
  checkDuration("intervalMs", intervalMs);
  checkDuration("backoff.firstMs", backoff.firstMs);
  checkDuration("backoff.maxMs", backoff.maxMs);
  checkDuration("backoff.refusedMs", backoff.refusedMs);
}

function addressOf({
  timeline,
}: {
  timeline: ReadonlyArray<{ address: AddressKind }>;
}): AddressKind | undefined {
  return timeline.at(-1)?.address;
}

/** Frameworks hand the key of a logical call down as a header. */
function callerIdempotencyHeader(options: RequestOptions | undefined): string | undefined {
  return Object.entries(options?.headers ?? {}).find(
    ([name]) => name.toLowerCase() === "idempotency-key",
  )?.[1];
}

function withExternalId(
  body: { external_task_id?: string },
  options: RequestOptions | undefined,
): { external_task_id?: string } {
  const id = options?.idempotencyKey ?? callerIdempotencyHeader(options);
  return id === undefined || body?.external_task_id !== undefined ? body : { ...body, external_task_id: id };
}

function checkHandle(handle: VideoTaskHandle): void {
  const { v, family, id } = (handle ?? {}) as Partial<VideoTaskHandle>;
  const problem = (field: string, message: string, value: unknown) =>
    new InvalidRequestError([{ field, message, value }]);
  if (v !== 1) throw problem("handle.v", "must be 1: pass task.handle as it was, or as it was stored", v);
  if (!isVideoFamily(family)) {
    throw problem("handle.family", `must be one of ${Object.keys(VIDEO_FAMILIES).join(", ")}`, family);
  }
  if (!isTaskId(id)) throw problem("handle.id", "must be a task id", id);
}
