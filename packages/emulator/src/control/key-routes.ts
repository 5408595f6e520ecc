import { readMembers } from "../checks/read-members.js";
import type { Emulator } from "../emulator.js";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import { type EmulatorKey, maskKey, type StoredKey } from "../state/key-store.js";
import { KEY_CHANGES, KEY_MEMBERS } from "../state/read-key.js";
import { type ControlRoute, emptyResponse, listResponse } from "./control-exchange.js";

/** `/api/keys`: the only place that shows keys whole. */
export const keyRoutes: readonly ControlRoute[] = [
  { method: "GET", path: "/api/keys", handle: ({ emulator }) => listResponse(emulator.keys.list()) },
  {
    method: "GET",
    path: "/api/keys/:key",
    handle: ({ emulator, parameters }) => Answer.json(requireKey(emulator, parameters["key"])),
  },
  {
    method: "POST",
    path: "/api/keys",
    body: "required",
    handle: ({ emulator, body }) => {
      const key = readMembers(body, KEY_MEMBERS, { vital: ["key"], complete: true }) as EmulatorKey;
      emulator.keys.add(key);
      return Answer.json(requireKey(emulator, key.key), { status: 201 });
    },
  },
  {
    method: "PATCH",
    path: "/api/keys/:key",
    body: "required",
    handle: ({ emulator, parameters, body }) => {
      const { key } = requireKey(emulator, parameters["key"]);
      emulator.keys.update(key, readMembers(body, KEY_CHANGES, { vital: ["group"] }));
      return Answer.json(requireKey(emulator, key));
    },
  },
  {
    method: "DELETE",
    path: "/api/keys/:key",
    handle: ({ emulator, parameters }) => {
      emulator.keys.remove(requireKey(emulator, parameters["key"]).key);
      return emptyResponse();
    },
  },
];

function requireKey(emulator: Emulator, wanted = ""): StoredKey {
  const key = emulator.keys.list().find(({ key }) => key === wanted);
  if (!key) throw APIError.notFound(`There is no key ${maskKey(wanted)}.`);
  return key;
}
