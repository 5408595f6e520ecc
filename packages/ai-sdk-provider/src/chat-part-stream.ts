import type { LanguageModelV4StreamPart, SharedV4Warning } from "@ai-sdk/provider";
import type { ChatCompletionStream } from "@model-gateway/core";
import { type AnswerReading, ChatAnswerParts } from "./chat-answer-parts.js";
import { DeltaJoiner } from "./delta-joiner.js";
import { fetchFileParts } from "./fetch-file-parts.js";
import type { ResultClient } from "./result-client.js";

/** What a stream of parts is made from. */
export interface ChatPartSource {
  chunks: ChatCompletionStream;
  gateway: ResultClient;
  reading: AnswerReading;
  warnings: SharedV4Warning[];
  includeRawChunks: boolean;
  abortSignal: AbortSignal | undefined;
}

/**
 * The SDK's stream of a chat answer: one stream and no pipes. Each pull hands over everything that has arrived, with
 * deltas that follow each other in one part.
 */
export function chatPartStream(source: ChatPartSource): ReadableStream<LanguageModelV4StreamPart> {
  const { chunks, gateway, reading, warnings, includeRawChunks, abortSignal } = source;
  const batches = chunks.batches();
  let cancelled = false;
  let enqueued = 0;
  let joiner: DeltaJoiner;
  let parts: ChatAnswerParts;
  return new ReadableStream<LanguageModelV4StreamPart>({
    start(controller) {
      joiner = new DeltaJoiner((part) => {
        enqueued++;
        controller.enqueue(part);
      });
      parts = new ChatAnswerParts(joiner.add, reading);
      controller.enqueue({ type: "stream-start", warnings });
    },
    async pull(controller) {
      // A pull that ends without a part is never followed by another one, and many chunks make no part.
      const before = enqueued;
      try {
        while (enqueued === before) {
          const { value, done } = await batches.next();
          if (cancelled) return;
          if (done) {
            const addresses = parts.imageAddresses();
            const files = await fetchFileParts(gateway, addresses, { images: addresses }, abortSignal);
            if (cancelled) return;
            parts.finish(files, await chunks.finalCompletion());
            controller.close();
            return;
          }
          for (const chunk of value) {
            if (includeRawChunks) joiner.add({ type: "raw", rawValue: chunk });
            parts.addChunk(chunk);
          }
          joiner.flush();
        }
      } catch (error) {
        if (cancelled) return;
        parts.fail(error, gateway.baseURL);
        controller.close();
      }
    },
    async cancel() {
      cancelled = true;
      await batches.return?.();
    },
  });
}
