import { readMembers } from "../checks/read-members.js";
import type { Emulator } from "../emulator.js";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import type { EmulatorGroup } from "../state/group-store.js";
import { GROUP_CHANGES, GROUP_MEMBERS } from "../state/read-group.js";
import { type ControlRoute, emptyResponse, listResponse } from "./control-exchange.js";

/** `/api/groups`: the token groups. */
export const groupRoutes: readonly ControlRoute[] = [
  { method: "GET", path: "/api/groups", handle: ({ emulator }) => listResponse(emulator.groups.list()) },
  {
    method: "GET",
    path: "/api/groups/:name",
    handle: ({ emulator, parameters }) => Answer.json(requireGroup(emulator, parameters["name"])),
  },
  {
    method: "POST",
    path: "/api/groups",
    body: "required",
    handle: ({ emulator, body }) => {
      const group = readMembers(body, GROUP_MEMBERS, {
        vital: ["name", "models"],
        complete: true,
      }) as EmulatorGroup;
      emulator.groups.add(group);
      return Answer.json(requireGroup(emulator, group.name), { status: 201 });
    },
  },
  {
    method: "PATCH",
    path: "/api/groups/:name",
    body: "required",
    handle: ({ emulator, parameters, body }) => {
      const { name } = requireGroup(emulator, parameters["name"]);
      emulator.groups.update(name, readMembers(body, GROUP_CHANGES, { vital: ["models"] }));
      return Answer.json(requireGroup(emulator, name));
    },
  },
  {
    method: "DELETE",
    path: "/api/groups/:name",
    handle: ({ emulator, parameters }) => {
      emulator.groups.remove(requireGroup(emulator, parameters["name"]).name);
      return emptyResponse();
    },
  },
];

function requireGroup(emulator: Emulator, wanted = ""): EmulatorGroup {
  const group = emulator.groups.list().find(({ name }) => name === wanted);
  if (!group) throw APIError.notFound(`There is no token group "${wanted.slice(0, 64)}".`);
  return group;
}
