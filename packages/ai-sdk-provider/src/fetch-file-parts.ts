import type { LanguageModelV4File } from "@ai-sdk/provider";
import { mayBeImage } from "@model-gateway/core/images";
import type { ImageAddress } from "./chat-answer-parts.js";
import { resultDownloadError } from "./map-error.js";
import type { ResultClient } from "./result-client.js";

/**
 * The images that a chat model made, as parts of its answer. One on the gateway's own host may need the key, which the
 * SDK's download does not have: it is fetched here. Others go to the SDK as URLs.
 *
 * The key is for what the gateway names. An address that stands in the model's text is fetched without, and must lead to an
 * image: a prompt can make a model write any address.
 *
 * @throws APICallError that is not retryable when an image cannot be fetched: the answer has been paid for
 */
export async function fetchFileParts(
  gateway: ResultClient,
  addresses: readonly ImageAddress[],
  answer: unknown,
  signal: AbortSignal | undefined,
): Promise<LanguageModelV4File[]> {
  const files = await Promise.all(
    addresses.map(async ({ address, written }): Promise<LanguageModelV4File | undefined> => {
      const match = /^data:([^;,]+);base64,(.+)$/s.exec(address);
      if (match !== null) {
        const [, mediaType = "", data = ""] = match;
        return { type: "file", mediaType, data: { type: "data", data } };
      }
      if (!gateway.isOwnOrigin(address)) {
        return { type: "file", mediaType: "image/*", data: { type: "url", url: new URL(address) } };
      }
      try {
        const file = await gateway.download(address, { signal, sendKey: !written });
        if (written && !mayBeImage(file.contentType)) {
          await file.body.cancel();
          return undefined;
        }
        return {
          type: "file",
          mediaType: file.contentType,
          data: { type: "data", data: await file.bytes() },
        };
      } catch (cause) {
        if (signal?.aborted) throw cause;
        throw resultDownloadError(cause, gateway.baseURL, answer);
      }
    }),
  );
  return files.filter((file) => file !== undefined);
}
