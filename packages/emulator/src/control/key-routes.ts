import { type Readers, readMembers, readStrings } from "../checks/read-members.js";
import type { Emulator } from "../emulator.js";
import { APIError } from "../http/api-error.js";
import { type EmulatorKey, maskKey, type StoredKey } from "../state/key-store.js";
import { type ControlRoute, emptyResponse, listResponse } from "./control-exchange.js";

const CHANGES: Readers<Omit<EmulatorKey, "key">> = {
  group: (field) => field.nonEmptyString(),
  models: readStrings,
  quota: (field) => field.integer({ min: 0 }),
  rateLimit: (field) => {
    if (field.object() === undefined) return undefined;
    const requests = field.get("requests").integer({ min: 1 });
    const windowMs = field.get("windowMs").integer({ min: 1 });
    return requests === undefined || windowMs === undefined ? undefined : { requests, windowMs };
  },
  disabled: (field) => field.boolean(),
  expiresAt: (field) => field.number(),
  moderation: (field) => field.boolean(),
};
const KEY: Readers<EmulatorKey> = { key: (field) => field.nonEmptyString(), ...CHANGES };

/** `/api/keys`: the only place that shows keys whole. */
export const keyRoutes: readonly ControlRoute[] = [
  { method: "GET", path: "/api/keys", handle: ({ emulator }) => listResponse(emulator.keys.list()) },
  {
    method: "GET",
    path: "/api/keys/:key",
    handle: ({ emulator, parameters }) => Response.json(requireKey(emulator, parameters["key"])),
  },
  {
    method: "POST",
    path: "/api/keys",
    body: "required",
    handle: ({ emulator, body }) => {
      const key = readMembers(body, KEY, { vital: ["key"], complete: true }) as EmulatorKey;
      emulator.keys.add(key);
      return Response.json(requireKey(emulator, key.key), { status: 201 });
    },
  },
  {
    method: "PATCH",
    path: "/api/keys/:key",
    body: "required",
    handle: ({ emulator, parameters, body }) => {
      const { key } = requireKey(emulator, parameters["key"]);
      emulator.keys.update(key, readMembers(body, CHANGES, { vital: ["group"] }));
      return Response.json(requireKey(emulator, key));
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
