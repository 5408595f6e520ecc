import type { LanguageModelV4File } from "@ai-sdk/provider";
import type { ModelGateway } from "@model-gateway/core";
import { resultDownloadError } from "./map-error.js";

/**
 * The images that a chat model made, as parts of its answer. One on the gateway's own host needs the key, which the
 * SDK's download does not have: it is fetched here. Others go to the SDK as URLs.
 *
 * @throws APICallError that is not retryable when an image cannot be fetched: the answer has been paid for
 */
export function fetchFileParts(
  gateway: ModelGateway,
  addresses: readonly string[],
  answer: unknown,
  signal: AbortSignal | undefined,
): Promise<LanguageModelV4File[]> {
  return Promise.all(
    addresses.map(async (address): Promise<LanguageModelV4File> => {
      const match = /^data:([^;,]+);base64,(.+)$/s.exec(address);
      if (match !== null) {
        const [, mediaType = "", data = ""] = match;
        return { type: "file", mediaType, data: { type: "data", data } };
      }
      if (!gateway.isOwnOrigin(address)) {
        return { type: "file", mediaType: "image/*", data: { type: "url", url: new URL(address) } };
      }
      try {
        const file = await gateway.download(address, { signal });
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
}
