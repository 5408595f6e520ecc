// A media thread for tests: what it does with a job is said by the job's prompt.
import { parentPort } from "node:worker_threads";

parentPort.on("message", ({ input }) => {
  if (input.prompt === "throw") throw new Error("wasm out of memory");
  if (input.prompt === "exit") process.exit(3);
  if (input.prompt === "fail") parentPort.postMessage({ error: new RangeError("no such codec") });
  else if (input.prompt === "refuse") parentPort.postMessage({ invalidInput: "inputs[0] is no image" });
  else if (input.prompt !== "hang") parentPort.postMessage({ output: { mediaType: input.prompt } });
});
