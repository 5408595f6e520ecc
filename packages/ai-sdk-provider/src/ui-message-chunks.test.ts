import { describe, expect, it } from "vitest";
import { UIMessageChunks } from "./ui-message-chunks.js";

const START = { type: "start" };
const TEXT = { type: "text-delta", delta: "x" };
const ABORT = { type: "abort" };

/** A stream that knows what of it was taken, and whether it was cancelled. */
function streamOf(...chunks: Array<{ type: string }>) {
  const seen = { taken: 0, isCancelled: false };
  const stream = new ReadableStream<{ type: string }>(
    {
      pull(controller) {
        const chunk = chunks[seen.taken];
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
        if (chunk !== undefined) seen.taken++;
      },
      cancel() {
        seen.isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, seen };
}

describe("the chunks of an answer", () => {
  it("are read on to the one that says that it was aborted, when nobody wants them any more", async () => {
    const { stream, seen } = streamOf(START, TEXT, TEXT, ABORT, TEXT);
    const works: Promise<void>[] = [];
    const chunks = new UIMessageChunks(stream, (work) => void works.push(work));
    expect(await chunks.next()).toEqual({ done: false, value: START });
    expect(await chunks.return()).toEqual({ done: true, value: undefined });
    expect(works).toHaveLength(1);
    await works[0];
    expect(seen).toEqual({ taken: 4, isCancelled: true });
  });

  it("are read on also before the first, and of any iterable", async () => {
    let taken = 0;
    let isLeft = false;
    async function* iterable() {
      try {
        for (const chunk of [START, ABORT, TEXT]) {
          taken++;
          yield chunk;
        }
      } finally {
        isLeft = true;
      }
    }
    const works: Promise<void>[] = [];
    await new UIMessageChunks(iterable(), (work) => void works.push(work)).return();
    await works[0];
    expect([taken, isLeft]).toEqual([2, true]);
  });

  it("that hold an error end with it, after all of them were read", async () => {
    const { stream, seen } = streamOf(
      START,
      { type: "error", errorText: "Sorry." } as { type: string },
      TEXT,
    );
    const chunks = new UIMessageChunks(stream);
    expect(await chunks.next()).toEqual({ done: false, value: START });
    await expect(chunks.next()).rejects.toMatchObject({
      name: "UIStreamError",
      message: "Sorry.",
      maybeProcessed: true,
    });
    expect(seen.taken).toBe(3);
  });

  it("that break off are nobody's failure when nobody waits for them", async () => {
    const works: Promise<void>[] = [];
    const broken = new ReadableStream<{ type: string }>({
      pull: (controller) => controller.error(new Error("Broken.")),
    });
    await new UIMessageChunks(broken, (work) => void works.push(work)).return();
    await expect(works[0]).resolves.toBeUndefined();
  });
});
