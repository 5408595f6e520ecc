import type {
  APIPromise,
  ChatImageRequest,
  ChatImageResult,
  ImageEditRequest,
  ImageGenerateRequest,
  ImageResult,
  ImageStreamEvent,
  ModelGateway,
  RequestOptions,
} from "@model-gateway/core";
import type { OnModuleDestroy } from "@nestjs/common";
import type { Observable } from "rxjs";
import type { KeyedStreamOptions } from "../streams/keyed-stream-options.js";
import type { KeyedStreams } from "../streams/keyed-streams.js";
import { OpenStreams } from "../streams/open-streams.js";
import { reviveImageEvent, withoutRaw } from "./kept-image-event.js";

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

  /** Makes images. `bytes()` of each gives its content, whether it came as a link or as Base64. */
  generate(body: ImageGenerateRequest, options?: RequestOptions): APIPromise<ImageResult> {
    return this.gateway.images.generate(body, options);
  }

  /** Edits 1 to 16 images. */
  edit(body: ImageEditRequest, options?: RequestOptions): APIPromise<ImageResult> {
    return this.gateway.images.edit(body, options);
  }

  /** Makes or edits an image with the image-chat model; `text` is what the model said with it. */
  generateThroughChat(request: ChatImageRequest, options?: RequestOptions): APIPromise<ChatImageResult> {
    return this.gateway.images.generateThroughChat(request, options);
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
