import { joinBytes } from "../transport/join-bytes.js";
import { type AsyncQueue, QueueReader } from "./async-queue.js";

/** The bytes of an answer on their way. Read `body` or call `bytes()`, not both. */
export interface ByteBody {
  body: ReadableStream<Uint8Array>;
  /** Reads everything into memory. */
  bytes(): Promise<Uint8Array>;
}

export function createByteBody(queue: AsyncQueue<Uint8Array>): ByteBody {
  const reader = new QueueReader(queue);
  return { body: toByteStream(reader), bytes: () => collectBytes(reader) };
}

function toByteStream(queue: QueueReader<Uint8Array>): ReadableStream<Uint8Array> {
  // Nothing is read ahead of the consumer: the queue holds what has arrived, and pauses the connection.
  return new ReadableStream(
    {
      async pull(controller) {
        const { value, done } = await queue.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await queue.return();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The chunks of a queue as one, up to its end. */
export async function collectBytes(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const collected: Uint8Array[] = [];
  for await (const chunk of chunks) collected.push(chunk);
  return joinBytes(collected);
}
