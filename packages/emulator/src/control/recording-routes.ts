import { readBooleanText, readMembers } from "../checks/read-members.js";
import { type ControlRoute, emptyResponse, listResponse } from "./control-exchange.js";

/** `/api/recordings`: what is recorded or replayed. */
export const recordingRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/api/recordings",
    handle: ({ emulator, query }) => {
      const { unused } = readMembers<{ unused: boolean }>(query, { unused: readBooleanText });
      return listResponse(unused ? emulator.recordings.unused() : emulator.recordings.list());
    },
  },
  {
    method: "POST",
    path: "/api/recordings/use",
    body: "required",
    handle: ({ emulator, body }) => {
      const { group = null } = readMembers<{ group: string }>(body, {
        group: (field) => field.nonEmptyString(),
      });
      emulator.recordings.use(group);
      return emptyResponse();
    },
  },
];
