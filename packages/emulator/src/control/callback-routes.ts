import { type Readers, readBooleanText, readMembers } from "../checks/read-members.js";
import { Answer } from "../http/answer.js";
import type { CallbackFilter } from "../tasks/callback-log.js";
import { type ControlRoute, listResponse } from "./control-exchange.js";

const FILTER: Readers<CallbackFilter> = {
  taskId: (field) => field.string(),
  delivered: readBooleanText,
};

/** `/api/callbacks`: the notifications of video tasks, and posting one again. */
export const callbackRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/api/callbacks",
    handle: ({ emulator, query }) => listResponse(emulator.callbacks.list(readMembers(query, FILTER))),
  },
  {
    method: "POST",
    path: "/api/callbacks/:id/resend",
    handle: async ({ emulator, parameters }) =>
      Answer.json(await emulator.callbacks.resend(parameters["id"] ?? "")),
  },
];
