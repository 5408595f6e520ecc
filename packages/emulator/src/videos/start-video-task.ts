import type { Exchange } from "../api/exchange.js";
import { readPromptMarkers } from "../language/prompt-markers.js";
import type { NewVideoTask } from "../tasks/task-store.js";
import type { VideoTask } from "../tasks/video-task.js";
import { countVideoTokens } from "./video-tokens.js";

/** A task before it is paid for. */
export interface UnpaidVideoTask extends Pick<NewVideoTask, "family" | "externalId" | "series" | "settings"> {
  /** The id of the model. */
  model: string;
  /** As it was sent: markers in it decide how the task ends. */
  prompt: string;
}

/** Puts a task into the queue and charges it. @throws APIError 403 when the key cannot pay for it */
export function startVideoTask(
  { key, url, services, bill }: Pick<Exchange, "key" | "url" | "services" | "bill">,
  { prompt, ...task }: UnpaidVideoTask,
): VideoTask {
  bill.expect(task.model, { videoTokens: countVideoTokens(task.settings) });
  const { fail, stuck } = readPromptMarkers(prompt);
  const started = services.tasks.create({ ...task, key: key.key, origin: url.origin, fails: fail, stuck });
  bill.settle(started.id);
  return started;
}
