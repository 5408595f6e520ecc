import type { Field } from "../checks/field.js";
import type { Emulator } from "../emulator.js";
import { Answer } from "../http/answer.js";

/** One request to the control API, past the check of who calls. */
export interface ControlExchange {
  /** The surface that the control API is the twin of. */
  emulator: Emulator;
  /** Path parameters by name, decoded. */
  parameters: Record<string, string>;
  /** The query, every value of it a string. */
  query: Field;
  /** The JSON body; an empty object where the route takes none. */
  body: Field;
}

/** An endpoint of the control API. */
export interface ControlRoute {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/_emulator`, in the router's notation. */
  path: string;
  /** Whether it reads a JSON object; `optional` takes none for an empty one. */
  body?: "required" | "optional";
  /** The largest body that it reads; any when absent. */
  maxBytes?: number;
  handle(exchange: ControlExchange): Answer | Promise<Answer>;
}

/** A list as the control API answers it. */
export function listResponse(data: readonly unknown[]): Answer {
  return Answer.json({ data });
}

/** What an action without a result of its own answers. */
export function emptyResponse(): Answer {
  return new Answer(null, { status: 204 });
}
