import { parentPort } from "node:worker_threads";
import { composeReply } from "./compose-reply.js";
import type { ThoughtOutcome, ThoughtRequest } from "./thinker.js";

// The script of the thread that composes long replies.
parentPort?.on("message", ({ id, request, settings }: ThoughtRequest) => {
  parentPort?.postMessage(outcomeOf(id, () => composeReply(request, settings)));
});

function outcomeOf(id: number, compose: () => ReturnType<typeof composeReply>): ThoughtOutcome {
  try {
    return { id, reply: compose() };
  } catch (error) {
    return { id, error };
  }
}
