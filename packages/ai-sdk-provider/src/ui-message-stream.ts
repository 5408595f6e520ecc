/** Chunks as `toUIMessageStream()` and `createUIMessageStream()` of the AI SDK make them. */
export type UIMessageStream = AsyncIterable<{ type: string }> | ReadableStream<{ type: string }>;
