import type { UIMessageStream } from "./ui-message-stream.js";
import { UIStreamError } from "./ui-stream-error.js";

interface Chunk {
  type: string;
  errorText?: unknown;
}

/**
 * The chunks of an answer. One that is stopped is read to its end all the same: only then does the SDK call `onEnd`, where
 * applications save it.
 *
 * @param waitUntil is told of what is done after the last chunk was asked for
 * @throws UIStreamError at the end of an answer with an `error` chunk: nobody is to take it for whole
 */
export async function* readUIMessageChunks(
  stream: UIMessageStream,
  waitUntil: ((work: Promise<void>) => void) | undefined,
): AsyncGenerator<Chunk> {
  const reader = new ChunkReader(stream);
  let errorText: string | undefined;
  let isOver = false;
  try {
    for (;;) {
      const chunk = await reader.next();
      if (chunk === undefined) break;
      if (chunk.type === "error") errorText ??= String(chunk.errorText ?? "");
      // What follows an error is read by no page.
      if (errorText === undefined) yield chunk;
    }
    isOver = true;
  } finally {
    if (!isOver) {
      const rest = drain(reader);
      waitUntil?.(rest);
    }
  }
  if (errorText !== undefined) throw new UIStreamError(errorText);
}

/** Reads either kind of stream: not every runtime can iterate over those of the web. */
class ChunkReader {
  readonly next: () => Promise<Chunk | undefined>;
  readonly leave: () => Promise<unknown>;

  constructor(stream: UIMessageStream) {
    const source = "getReader" in stream ? stream.getReader() : stream[Symbol.asyncIterator]();
    const read = () => ("read" in source ? source.read() : source.next());
    this.next = async () => {
      const { done, value } = await read();
      return done === true ? undefined : (value as Chunk);
    };
    this.leave = async () => ("cancel" in source ? source.cancel() : source.return?.());
  }
}

/** To the chunk by which the SDK says that the call was aborted, which is its last. Never rejects. */
async function drain(reader: ChunkReader): Promise<void> {
  try {
    for (let chunk = await reader.next(); chunk !== undefined && chunk.type !== "abort"; )
      chunk = await reader.next();
    await reader.leave();
  } catch {
    // It failed on its way: nothing is left of it.
  }
}
