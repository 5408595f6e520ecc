import type { EmulatorKey } from "../state/key-store.js";
import type { Services } from "./services.js";

/** One request on its way to an endpoint, past authentication. */
export interface Exchange {
  request: Request;
  url: URL;
  /** Path parameters by name, decoded. */
  parameters: Record<string, string>;
  key: EmulatorKey;
  /** The parsed JSON body; undefined for GET. */
  body: unknown;
  services: Services;
  /** Aborts when the client leaves or the emulator closes. */
  signal: AbortSignal;
}

/** An endpoint below each of the four base addresses. */
export interface Route {
  method: "GET" | "POST";
  /** In the router's notation: `/videos/:task_id`. */
  path: string;
  handle(exchange: Exchange): Response | Promise<Response>;
  /** The text in which prompt markers count. */
  promptText?(body: unknown): string;
  /** `[[fail]]` and `[[stuck]]` are about the task that the endpoint creates, not about its answer. */
  createsTask?: boolean;
}
