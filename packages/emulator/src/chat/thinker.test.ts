import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { startEmulator } from "../testing/start-emulator.js";
import type { ChatMessage, ChatRequest } from "./chat-request.js";
import { composeReply } from "./compose-reply.js";
import { Thinker } from "./thinker.js";

const SETTINGS = { seed: 1, now: 0, reasons: false };
const CONTEXT = Array.from({ length: 9_000 }, (_, index) => `Order ${index} went to city ${index * 7}.`).join(
  "\n",
);

function requestOf(text: string): ChatRequest {
  const message = { role: "user", text, toolCalls: [], images: [] } as unknown as ChatMessage;
  return {
    ...{ model: "local-chat", messages: [message], tools: [], toolChoice: "auto", parallelToolCalls: true },
    ...{ responseFormat: { type: "text" }, stream: false, includeUsage: false, maxTokens: 1_000, stop: [] },
    ...{ count: 1, logprobs: false },
  } as ChatRequest;
}

describe("replies", () => {
  it("to short requests are there at once", () => {
    const thinker = new Thinker(() => {
      throw new Error("no thread is needed");
    });
    expect(thinker.compose(requestOf("What is 6 times 7?"), SETTINGS)).toMatchObject({
      content: "6 * 7 = 42",
    });
  });

  it("to long ones come from a thread, and are the same", async () => {
    const request = requestOf(`${CONTEXT}\n\nTo which city went order 123?`);
    const reply = new Thinker().compose(request, SETTINGS);
    expect(reply).toBeInstanceOf(Promise);
    expect(await reply).toEqual(composeReply(request, SETTINGS));
  });

  it("are lost with their thread, and the next one has another", async () => {
    const threads: Worker[] = [];
    const thinker = new Thinker(() => {
      const script =
        threads.length === 0
          ? "process.exit(3)"
          : "require('worker_threads').parentPort.on('message', ({ id }) => require('worker_threads').parentPort.postMessage({ id, reply: { content: 'there' } }))";
      const thread = new Worker(script, { eval: true });
      threads.push(thread);
      return thread;
    });
    await expect(thinker.compose(requestOf(CONTEXT), SETTINGS)).rejects.toThrow("its thread ended");
    expect(await thinker.compose(requestOf(CONTEXT), SETTINGS)).toEqual({ content: "there" });
    await threads[1]?.terminate();
  });

  it("to a long context let other calls go on meanwhile", async () => {
    const { ask, get } = await startEmulator();
    await ask(`${CONTEXT}\n\nTo which city went order 1?`);
    let isAnswered = false;
    const long = ask(`${CONTEXT}\n\nTo which city went order 777?`).then((answer) => {
      isAnswered = true;
      return answer;
    });
    let others = 0;
    while (!isAnswered) {
      await (await get("/models")).text();
      others += 1;
    }
    expect(await long).toContain("city 5439");
    expect(others).toBeGreaterThan(3);
  });
});
