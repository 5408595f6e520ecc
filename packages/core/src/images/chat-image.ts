import type { ChatCompletionRequest, ContentPart } from "../chat/chat-types.js";
import { Checker } from "../checks/checker.js";
import { encodeBase64 } from "../download/base64.js";
import { checkChatImageSize } from "./chat-image-size.js";
import type { ChatImageInput, ChatImageRequest } from "./image-types.js";

/** Hard limits of the image-chat model. Throws an `InvalidRequestError` with all problems; nothing is sent. */
export function checkChatImageRequest(request: ChatImageRequest): void {
  const check = new Checker(request);
  check.requiredString("model");
  check.requiredString("prompt");
  checkChatImageSize(check, request.size);
  const { stream } = request as { stream?: unknown };
  if (stream) check.add("stream", "must be left out: images are read from whole answers");
  request.images?.forEach((image, index) => {
    if (typeof image === "string" && !/^(https?:|data:image\/)/.test(image)) {
      check.add(`images[${index}]`, "must be a public URL, a data:image/… URL, or bytes", image);
    }
  });
  check.throwIfAny();
}

/** The chat request that carries an image request. */
export async function chatImageBody({
  model,
  prompt,
  images = [],
  size,
  quality,
  sizePlacement = "metadata",
  ...fields
}: ChatImageRequest): Promise<ChatCompletionRequest> {
  const inPrompt = size !== undefined && sizePlacement === "prompt";
  const text: ContentPart = { type: "text", text: inPrompt ? `${size} '${prompt}'` : prompt };
  const pictures = await Promise.all(
    images.map(
      async (image): Promise<ContentPart> => ({ type: "image_url", image_url: { url: await toURL(image) } }),
    ),
  );
  const metadata = {
    ...fields.metadata,
    ...(size === undefined || inPrompt ? {} : { size }),
    ...(quality === undefined ? {} : { quality }),
  };
  return {
    ...fields,
    model,
    messages: [{ role: "user", content: [text, ...pictures] }],
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
}

async function toURL(image: ChatImageInput): Promise<string> {
  if (typeof image === "string") return image;
  const { data, mediaType } =
    image instanceof Blob || image instanceof Uint8Array ? { data: image, mediaType: undefined } : image;
  const bytes = data instanceof Blob ? new Uint8Array(await data.arrayBuffer()) : data;
  const type = mediaType ?? (data instanceof Blob && data.type !== "" ? data.type : "image/png");
  return `data:${type};base64,${encodeBase64(bytes)}`;
}
