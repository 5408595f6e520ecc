import type { Emulator } from "../emulator.js";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import type { StateSnapshot } from "../keeper/snapshot-shelf.js";
import { type ControlRoute, emptyResponse, listResponse } from "./control-exchange.js";

/** `/api/snapshots`: states put aside under names. */
export const snapshotRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/api/snapshots",
    handle: ({ emulator }) => listResponse(emulator.snapshots.list()),
  },
  {
    method: "POST",
    path: "/api/snapshots/:name",
    handle: ({ emulator, parameters }) => {
      const name = parameters["name"] ?? "";
      emulator.snapshots.save(name);
      return Answer.json(requireSnapshot(emulator, name), { status: 201 });
    },
  },
  {
    method: "POST",
    path: "/api/snapshots/:name/restore",
    handle: ({ emulator, parameters }) => {
      emulator.snapshots.restore(parameters["name"] ?? "");
      return emptyResponse();
    },
  },
  {
    method: "DELETE",
    path: "/api/snapshots/:name",
    handle: ({ emulator, parameters }) => {
      const name = parameters["name"] ?? "";
      if (!emulator.snapshots.remove(name)) throw noSuch(name);
      return emptyResponse();
    },
  },
];

function requireSnapshot(emulator: Emulator, name: string): StateSnapshot {
  const snapshot = emulator.snapshots.list().find((each) => each.name === name);
  if (!snapshot) throw noSuch(name);
  return snapshot;
}

function noSuch(name: string): APIError {
  return APIError.notFound(`There is no snapshot "${name}".`);
}
