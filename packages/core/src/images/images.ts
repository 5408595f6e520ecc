import { APIPromise } from "../call/api-promise.js";
import { type Call, LONG_TIMEOUT_MS, MAX_IMAGES_BYTES, type RequestOptions } from "../call/call.js";
import { openStream } from "../call/open-stream.js";
import type { Sender } from "../call/sender.js";
import { hasChoices } from "../chat/chat.js";
import { CHAT_PATH } from "../chat/chat-path.js";
import { findChatError } from "../chat/find-chat-error.js";
import type { Downloader } from "../download/download.js";
import { InvalidResponseError } from "../errors/errors.js";
import { encodeMultipart } from "../transport/multipart.js";
import { Base64BodyReader } from "./base64-body-reader.js";
import { chatImageBody, checkChatImageRequest } from "./chat-image.js";
import { checkEditRequest, checkGenerateRequest } from "./check-image-request.js";
import { editForm } from "./edit-form.js";
import { findChatImages } from "./find-chat-images.js";
import { GatewayImage } from "./gateway-image.js";
import { ImageStream, ImageStreamShape } from "./image-stream.js";
import type {
  ChatImageRequest,
  ChatImageResult,
  ImageEditRequest,
  ImageGenerateRequest,
  ImageResult,
} from "./image-types.js";
import { mayBeImage } from "./may-be-image.js";
import { readImageResult } from "./read-image-result.js";

/**
 * Image generation and editing. All of it is paid: never repeated after an ambiguous failure, which carries
 * `maybeProcessed: true`.
 */
export class Images {
  constructor(
    private readonly sender: Sender,
    private readonly download: Downloader,
  ) {}

  /** Makes images (`POST /images/generations`, both variants). */
  generate(body: ImageGenerateRequest, options?: RequestOptions): APIPromise<ImageResult> {
    return this.sender.json(this.generateCall("images.generate", body, body), options, (answer, unreadable) =>
      readImageResult(answer, this.download, unreadable),
    );
  }

  /** The same as a stream of partial and finished images. */
  stream(body: ImageGenerateRequest, options?: RequestOptions): APIPromise<ImageStream> {
    return this.open(this.generateCall("images.stream", body, { ...body, stream: true }), options);
  }

  /** Edits 1 to 16 images (`POST /images/edits`), sent as a form. */
  edit(body: ImageEditRequest, options?: RequestOptions): APIPromise<ImageResult> {
    return this.sender.json(this.editCall("images.edit", body, false), options, (answer, unreadable) =>
      readImageResult(answer, this.download, unreadable),
    );
  }

  /** The same as a stream of partial and finished images. */
  editStream(body: ImageEditRequest, options?: RequestOptions): APIPromise<ImageStream> {
    return this.open(this.editCall("images.editStream", body, true), options);
  }

  /**
   * Makes or edits an image with the image-chat model (`POST /chat/completions`). The structure of its answers is
   * not fixed: images are found wherever they are, and `text` and `raw` stay available.
   */
  generateThroughChat(request: ChatImageRequest, options?: RequestOptions): APIPromise<ChatImageResult> {
    return new APIPromise(this.throughChat(request, options));
  }

  private async throughChat(request: ChatImageRequest, options: RequestOptions | undefined) {
    checkChatImageRequest(request);
    const body = await chatImageBody(request);
    const call: Call = {
      name: "images.generateThroughChat",
      method: "POST",
      path: CHAT_PATH,
      cost: "billable",
      body,
      findError: findChatError,
      defaultTimeoutMs: LONG_TIMEOUT_MS,
      maxBytes: MAX_IMAGES_BYTES,
    };
    return this.sender
      .json(call, options, (answer, unreadable): ChatImageResult => {
        if (!hasChoices(answer)) throw unreadable("JSON that is no chat completion: it has no choices");
        const { text, urls, fromText } = findChatImages(answer);
        const download = fromText ? withoutKey(this.download) : this.download;
        const images = urls.map((url) => new GatewayImage(sourceOf(url), download));
        return { images, text, usage: answer.usage, raw: answer };
      })
      .withResponse();
  }

  private generateCall(name: string, request: ImageGenerateRequest, body: object): Call {
    return {
      name,
      method: "POST",
      path: "/images/generations",
      cost: "billable",
      body,
      check: () => checkGenerateRequest(request),
      defaultTimeoutMs: LONG_TIMEOUT_MS,
      maxBytes: MAX_IMAGES_BYTES,
      createBodyReader,
    };
  }

  private editCall(name: string, request: ImageEditRequest, stream: boolean): Call {
    return {
      name,
      method: "POST",
      path: "/images/edits",
      cost: "billable",
      encode: () => encodeMultipart(editForm(request, stream)),
      request,
      model: request?.model,
      check: () => checkEditRequest(request),
      defaultTimeoutMs: LONG_TIMEOUT_MS,
      maxBytes: MAX_IMAGES_BYTES,
      createBodyReader,
    };
  }

  private open(call: Call, options: RequestOptions | undefined): APIPromise<ImageStream> {
    return openStream(
      this.sender,
      call,
      options,
      () => new ImageStreamShape(this.download),
      (source) => new ImageStream(source, this.download),
    );
  }
}

const createBodyReader = () => new Base64BodyReader();

/**
 * For addresses that a model wrote: a prompt can make it write any, those of the gateway's own pages among them, and what
 * comes from there must be an image.
 */
function withoutKey(download: Downloader): Downloader {
  return async (source, options) => {
    const file = await download(source, { ...options, sendKey: false });
    const { contentType } = file;
    if (mayBeImage(contentType)) return file;
    await file.body.cancel();
    throw new InvalidResponseError(
      `The address that the model wrote leads to ${contentType.slice(0, 80)} and to no image.`,
    );
  };
}

/** A data URL becomes Base64, so that every image can be used without a download where its content came along. */
function sourceOf(url: string): { url?: string; base64?: string; mediaType?: string } {
  const match = /^data:([^;,]+);base64,(.+)$/s.exec(url);
  return match === null ? { url } : { base64: match[2] as string, mediaType: match[1] as string };
}
