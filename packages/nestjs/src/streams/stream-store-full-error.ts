/** A store of streams has no room. */
export class StreamStoreFullError extends Error {
  override readonly name = "StreamStoreFullError";
}
