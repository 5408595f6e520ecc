import { readMembers } from "../checks/read-members.js";
import type { Emulator } from "../emulator.js";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import type { ActiveFault, Fault } from "../state/fault-store.js";
import { maskKey } from "../state/key-store.js";
import { FAULT_MEMBERS } from "../state/read-fault.js";
import { type ControlRoute, emptyResponse, listResponse } from "./control-exchange.js";

/** `/api/faults`: the faults in force. */
export const faultRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/api/faults",
    handle: ({ emulator }) => listResponse(emulator.faults.list().map(masked)),
  },
  {
    method: "POST",
    path: "/api/faults",
    body: "required",
    handle: ({ emulator, body }) => {
      const id = emulator.faults.add(
        readMembers(body, FAULT_MEMBERS, { vital: ["kind"], complete: true }) as Fault,
      );
      return Answer.json(requireFault(emulator, id), { status: 201 });
    },
  },
  {
    method: "DELETE",
    path: "/api/faults",
    handle: ({ emulator }) => {
      emulator.faults.clear();
      return emptyResponse();
    },
  },
  {
    method: "DELETE",
    path: "/api/faults/:id",
    handle: ({ emulator, parameters }) => {
      emulator.faults.clear(requireFault(emulator, parameters["id"]).id);
      return emptyResponse();
    },
  },
];

function requireFault(emulator: Emulator, wanted = ""): ActiveFault {
  const fault = emulator.faults.list().find(({ id }) => id === wanted);
  if (!fault) throw APIError.notFound(`There is no fault "${wanted.slice(0, 64)}" in force.`);
  return masked(fault);
}

function masked(fault: ActiveFault): ActiveFault {
  return fault.key === undefined ? fault : { ...fault, key: maskKey(fault.key) };
}
