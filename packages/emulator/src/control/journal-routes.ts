import { type Readers, readMembers, readNumberText } from "../checks/read-members.js";
import { BASE_KINDS } from "../http/base-kinds.js";
import type { JournalFilter } from "../state/journal.js";
import { type ControlRoute, emptyResponse, listResponse } from "./control-exchange.js";

const FILTER: Readers<JournalFilter> = {
  method: (field) => field.string(),
  path: (field) => field.string(),
  base: (field) => field.oneOf(BASE_KINDS),
  model: (field) => field.string(),
  status: readNumberText,
  key: (field) => field.string(),
};

/** `/api/journal`: the last requests to the gateway. */
export const journalRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/api/journal",
    handle: ({ emulator, query }) => listResponse(emulator.journal.list(readMembers(query, FILTER))),
  },
  {
    method: "DELETE",
    path: "/api/journal",
    handle: ({ emulator }) => {
      emulator.journal.clear();
      return emptyResponse();
    },
  },
];
