import { abortableDelay } from "../http/abortable-delay.js";

const MS = 5;

/** Before a connection breaks: its end takes with it what has not been read, which came as well. */
export function letRead(signal: AbortSignal): Promise<void> {
  return abortableDelay(MS, signal);
}
