import type {
  APIPromise,
  ChatImageRequest,
  ChatImageResult,
  DownloadResume,
  ImageEditRequest,
  ImageGenerateRequest,
  ImageResult,
  ImageStreamEvent,
  ModelGateway,
  RequestOptions,
} from "@model-gateway/core";
import type { OnModuleDestroy } from "@nestjs/common";
import type { Observable } from "rxjs";
import { extensionOf } from "../files/extension-of.js";
import type { KeptFile } from "../files/file-store.js";
import { checkKeepResult, type KeepResultOptions, keepResult } from "../files/keep-result.js";
import type { KeyedStreamOptions } from "../streams/keyed-stream-options.js";
import type { KeyedStreams } from "../streams/keyed-streams.js";
import { OpenStreams } from "../streams/open-streams.js";
import { reviveImageEvent, withoutRaw } from "./kept-image-event.js";

/** An image that is kept. Plain JSON. */
export interface KeptImageFile extends KeptFile {
  /** Of the image in `images`: those that could not be made have no file. */
  index: number;
}

/** Images that are kept. */
export type KeptImages<Result extends ImageResult> = Result & {
  files: KeptImageFile[];
};

interface MayKeep {
  keep?: KeepResultOptions;
}

/**
 * Images (`POST /images/generations`, `POST /images/edits`, and through chat). All of it is paid: nothing is
 * repeated after an ambiguous failure, whose error has `maybeProcessed: true`. Errors are core's;
 * `withResponse()` on a promise gives the head of the answer.
 */
export class ImagesService implements OnModuleDestroy {
  private readonly streams = new OpenStreams();

  constructor(
    private readonly gateway: ModelGateway,
    private readonly keyedStreams: KeyedStreams,
  ) {}

  /**
   * Makes images. `bytes()` of each gives its content, whether it came as a link or as Base64. With `keep`, resolves when all
   * are durable in a store, and `files` says where, with their lengths and SHA-256; `signal` ends the call, and not the keeping
   * of what it has paid for.
   *
   * @throws ResultNotKeptError with the result, when not all of it could be kept
   */
  generate(
    body: ImageGenerateRequest,
    options: RequestOptions & { keep: KeepResultOptions },
  ): Promise<KeptImages<ImageResult>>;
  generate(body: ImageGenerateRequest, options?: RequestOptions): APIPromise<ImageResult>;
  generate(body: ImageGenerateRequest, { keep, ...options }: RequestOptions & MayKeep = {}) {
    return keepingIn(keep, () => this.gateway.images.generate(body, options));
  }

  /** Edits 1 to 16 images. `keep` is as for `generate`. */
  edit(
    body: ImageEditRequest,
    options: RequestOptions & { keep: KeepResultOptions },
  ): Promise<KeptImages<ImageResult>>;
  edit(body: ImageEditRequest, options?: RequestOptions): APIPromise<ImageResult>;
  edit(body: ImageEditRequest, { keep, ...options }: RequestOptions & MayKeep = {}) {
    return keepingIn(keep, () => this.gateway.images.edit(body, options));
  }

  /**
   * Makes or edits an image with the image-chat model; `text` is what the model said with it. `keep` is as for `generate`.
   */
  generateThroughChat(
    request: ChatImageRequest,
    options: RequestOptions & { keep: KeepResultOptions },
  ): Promise<KeptImages<ChatImageResult>>;
  generateThroughChat(request: ChatImageRequest, options?: RequestOptions): APIPromise<ChatImageResult>;
  generateThroughChat(request: ChatImageRequest, { keep, ...options }: RequestOptions & MayKeep = {}) {
    return keepingIn(keep, () => this.gateway.images.generateThroughChat(request, options));
  }

  /**
   * Makes images, and shows them while they are made: partial pictures, finished images, failures of single ones.
   * Each subscription sends a request of its own, **and pays for it**: give it a `key` where several are to see it, or one
   * may come back. Unsubscribing aborts the request. Ends with core's errors, and with `APIUserAbortError` when the
   * application closes.
   *
   * With a `key`, all subscriptions read one stream, which the first begins and pays for, as `ChatService.stream$` says; its
   * events have no `raw`.
   */
  stream$(
    body: ImageGenerateRequest,
    { key, from, ...options }: RequestOptions & KeyedStreamOptions = {},
  ): Observable<ImageStreamEvent> {
    return this.observe(
      (signal) => this.gateway.images.stream(body, { ...options, signal }),
      { key, from },
      options.signal,
    );
  }

  /** The same for edits. Images given as a `ReadableStream` can be sent once, so for one subscription only. */
  editStream$(
    body: ImageEditRequest,
    { key, from, ...options }: RequestOptions & KeyedStreamOptions = {},
  ): Observable<ImageStreamEvent> {
    return this.observe(
      (signal) => this.gateway.images.editStream(body, { ...options, signal }),
      { key, from },
      options.signal,
    );
  }

  /**
   * Ends the stream with this key at once, for all its readers and in whichever process its call is made.
   *
   * @returns whether it was running
   * @throws KeyedStreamError when the store does not answer
   */
  stop(key: string): Promise<boolean> {
    return this.keyedStreams.stop(imagesKey(key));
  }

  private observe(
    open: (signal: AbortSignal) => PromiseLike<AsyncIterable<ImageStreamEvent>>,
    { key, from }: KeyedStreamOptions,
    signal: AbortSignal | undefined,
  ): Observable<ImageStreamEvent> {
    if (key === undefined) return this.streams.observe(open, signal);
    return this.keyedStreams.observe({
      ...{ key: imagesKey(key), from, signal },
      open: async (aborted) => withoutRaw(await open(aborted)),
      revive: (event) => reviveImageEvent(event, (url, download) => this.gateway.download(url, download)),
    });
  }

  onModuleDestroy(): Promise<void> {
    return this.streams.close();
  }
}

/** Keys of chats are others. */
function imagesKey(key: string): string {
  return `images:${key}`;
}

function keepingIn<Result extends ImageResult>(
  keep: KeepResultOptions | undefined,
  call: () => APIPromise<Result>,
): APIPromise<Result> | Promise<KeptImages<Result>> {
  return keep === undefined ? call() : keepImages(keep, call);
}

async function keepImages<Result extends ImageResult>(
  keep: KeepResultOptions,
  call: () => APIPromise<Result>,
): Promise<KeptImages<Result>> {
  checkKeepResult(keep);
  const result = await call();
  const made = [...result.images.entries()].filter(([, image]) => image.error === undefined);
  const kept = await keepResult(
    keep,
    result,
    made.map(([index, image]) => ({
      name: `${index}${extensionOf(image.mediaType)}`,
      source: (resume?: DownloadResume) => image.download(resume && { resume }),
    })),
  );
  const files = kept.map((file, at) => ({ ...file, index: made[at]?.[0] ?? at }));
  return Object.assign(result, { files });
}
