import { Answer } from "../http/answer.js";
import type { EmulatorState } from "../persistence/state-document.js";
import { type ControlRoute, emptyResponse } from "./control-exchange.js";

/** Room for a journal full of bodies and for pictures that clients sent. */
const LARGEST_STATE_BYTES = 256 * 1_024 * 1_024;

/** `/api/state`: all that it holds, keys whole, and putting another in its place; `/api/reset`. */
export const stateRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/api/state",
    handle: ({ emulator }) =>
      Answer.json(emulator.state.export(), { headers: { "cache-control": "no-store" } }),
  },
  {
    method: "PUT",
    path: "/api/state",
    body: "required",
    maxBytes: LARGEST_STATE_BYTES,
    handle: ({ emulator, body }) => {
      emulator.state.import(body.value as EmulatorState);
      return emptyResponse();
    },
  },
  {
    method: "POST",
    path: "/api/reset",
    handle: ({ emulator }) => {
      emulator.reset();
      return emptyResponse();
    },
  },
];
