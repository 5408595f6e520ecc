const JSON_OR_MARKUP = /^\s*([{[<"]|$)/;

/** Whether a body of undeclared type is a stream of events: it begins neither as JSON nor as HTML. */
export function looksLikeEvents(chunks: readonly Uint8Array[]): boolean {
  const decoder = new TextDecoder();
  const start = chunks.map((chunk) => decoder.decode(chunk.subarray(0, 64), { stream: true })).join("");
  return !JSON_OR_MARKUP.test(start);
}
