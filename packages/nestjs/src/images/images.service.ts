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
import { OpenStreams } from "../streams/open-streams.js";

/**
 * Images (`POST /images/generations`, `POST /images/edits`, and through chat). All of it is paid: nothing is
 * repeated after an ambiguous failure, whose error has `maybeProcessed: true`. Errors are core's;
 * `withResponse()` on a promise gives the head of the answer.
 */
export class ImagesService implements OnModuleDestroy {
  private readonly streams = new OpenStreams();

  constructor(private readonly gateway: ModelGateway) {}

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
   * Each subscription sends a request of its own, **and pays for it**: share it where several are to see it.
   * Unsubscribing aborts the request. Ends with core's errors, and with `APIUserAbortError` when the application
   * closes.
   */
  stream$(body: ImageGenerateRequest, options?: RequestOptions): Observable<ImageStreamEvent> {
    return this.streams.observe(
      (signal) => this.gateway.images.stream(body, { ...options, signal }),
      options?.signal,
    );
  }

  /** The same for edits. Images given as a `ReadableStream` can be sent once, so for one subscription only. */
  editStream$(body: ImageEditRequest, options?: RequestOptions): Observable<ImageStreamEvent> {
    return this.streams.observe(
      (signal) => this.gateway.images.editStream(body, { ...options, signal }),
      options?.signal,
    );
  }

  onModuleDestroy(): Promise<void> {
    return this.streams.close();
  }
}
