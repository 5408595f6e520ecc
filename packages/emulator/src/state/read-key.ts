import { collectMembers, type Readers, readStrings } from "../checks/read-members.js";
import type { EmulatorKey } from "./key-store.js";

type RateLimit = NonNullable<EmulatorKey["rateLimit"]>;

/** How the members of a key are read that may change. */
export const KEY_CHANGES: Readers<Omit<EmulatorKey, "key">> = {
  group: (field) => field.nonEmptyString(),
  models: readStrings,
  quota: (field) => field.integer({ min: 0 }),
  rateLimit: (field) => {
    if (field.object() === undefined) return undefined;
    return collectMembers<RateLimit>(
      field,
      { requests: (each) => each.integer({ min: 1 }), windowMs: (each) => each.integer({ min: 1 }) },
      { vital: ["requests", "windowMs"], complete: true },
    ) as RateLimit;
  },
  disabled: (field) => field.boolean(),
  expiresAt: (field) => field.number(),
  moderation: (field) => field.boolean(),
};

/** How a key is read. */
export const KEY_MEMBERS: Readers<EmulatorKey> = { key: (field) => field.nonEmptyString(), ...KEY_CHANGES };
