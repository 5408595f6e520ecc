const MARKER = Symbol.for("@model-gateway/core.StreamStoreFullError");

/** A store of streams has no room. */
export class StreamStoreFullError extends Error {
  override readonly name = "StreamStoreFullError";
  readonly [MARKER] = true;

  /** Also for one of another copy of this package. */
  static isInstance(error: unknown): error is StreamStoreFullError {
    return typeof error === "object" && error !== null && MARKER in error;
  }
}
