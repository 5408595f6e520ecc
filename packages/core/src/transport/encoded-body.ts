/** The body of a call, written once for all its attempts. */
export interface EncodedBody {
  body?: string | Uint8Array | Blob | AsyncIterable<Uint8Array>;
  contentType?: string;
  /** False when the body holds a stream, which can be read once only. */
  replayable: boolean;
  /** Lets go of streams of the caller's that were not read, when the call is over. */
  release?: (reason: unknown) => void;
}
