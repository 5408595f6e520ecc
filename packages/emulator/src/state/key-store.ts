import type { Field } from "../checks/field.js";
import { collectMembers } from "../checks/read-members.js";
import { APIError } from "../http/api-error.js";
import { type BaseKind, SPECIALIZED_BASES } from "../http/base-kinds.js";
import type { ChangeLog, PartChanges } from "../persistence/change-log.js";
import type { KeptEntry } from "../persistence/kept-entry.js";
import type { KeptStore } from "../persistence/kept-store.js";
import { loadPart } from "../persistence/load-part.js";
import type { GroupStore } from "./group-store.js";
import type { ModelStore } from "./model-store.js";
import type { ModelEntry, ModelGroup } from "./model-table.js";
import { KEY_MEMBERS } from "./read-key.js";
import { Refusal } from "./refusal.js";

/** The key that every emulator accepts: group `default`, no expiry, no quota, no rate limit. */
export const WELL_KNOWN_KEY = "sk-emulator";

const DEFAULT_GROUP = "default";

/** An API key as an operator sees it. */
export interface EmulatorKey {
  /** The key itself; starts with `sk-`. */
  key: string;
  /** The token group, which decides the models: `default`, which is the default, `auto`, `image_video` or one that was added. */
  group?: ModelGroup | (string & {});
  /** Narrows the group to these model ids. */
  models?: string[];
  /** What the key may spend in all, in units of 1/500000 of a currency unit; without it there is no end. */
  quota?: number;
  /** How many requests of any kind the key may make within `windowMs` milliseconds of the emulator's clock. */
  rateLimit?: { requests: number; windowMs: number };
  /** A disabled key answers 401. */
  disabled?: boolean;
  /** Milliseconds since the epoch on the emulator's clock; from then on the key answers 401. */
  expiresAt?: number;
  /** Whether `POST /moderations` is enabled for the key. Default false. */
  moderation?: boolean;
}

/** A key as it is kept. */
export interface StoredKey extends EmulatorKey {
  group: ModelGroup | (string & {});
}

/** What the stores of keys share. */
export interface KeySettings {
  groups: GroupStore;
  models: ModelStore;
  now: () => number;
  /** Whether keys that nobody added are taken too. */
  anyKey: boolean;
}

const PART = "keys";

/** The keys of the gateway and what each may call. */
export class KeyStore implements KeptStore {
  private readonly keys = new Map<string, StoredKey>();
  private readonly settings: KeySettings;
  private readonly changes: PartChanges | undefined;

  constructor(settings: KeySettings, changes?: ChangeLog) {
    this.settings = settings;
    this.changes = changes?.of(PART);
  }

  /** Adds a key. @throws TypeError when it exists, or a value of it makes no sense */
  add(key: EmulatorKey): void {
    if (this.keys.has(key.key)) throw new Refusal(`The key ${maskKey(key.key)} exists; use keys.update.`);
    this.store(key);
  }

  /** Changes an existing key. @throws TypeError when there is no such key. */
  update(key: string, changes: Partial<Omit<EmulatorKey, "key">>): void {
    const current = this.keys.get(key);
    if (!current) throw Refusal.missing(`There is no key ${maskKey(key)}; use keys.add.`);
    this.store({ ...current, ...changes, key });
  }

  /** Deletes a key; requests with it answer 401 from now on. Returns whether it existed. */
  remove(key: string): boolean {
    this.changes?.delete(key);
    return this.keys.delete(key);
  }

  list(): StoredKey[] {
    return [...this.keys.values()].map((key) => structuredClone(key));
  }

  has(key: string): boolean {
    return this.keys.has(key);
  }

  *save(): Iterable<KeptEntry> {
    for (const [key, value] of this.keys) yield { part: PART, key, value };
  }

  load(state: Field): void {
    const read = (entry: Field) =>
      collectMembers(entry, KEY_MEMBERS, { vital: ["key", "group"], complete: true }) as StoredKey;
    loadPart(state, PART, read, (key) => this.add(key));
  }

  /** The key of an `Authorization` header. @throws APIError 401 for every way in which it cannot be used. */
  authenticate(header: string | null): StoredKey {
    if (header === null) {
      throw unauthorized("The Authorization header is missing. Send `Authorization: Bearer sk-…`.");
    }
    const token = /^Bearer +(\S+)$/i.exec(header.trim())?.[1];
    const { anyKey, now } = this.settings;
    if (token === undefined || !(anyKey || token.startsWith("sk-"))) {
      throw unauthorized("The Authorization header is malformed. Send `Authorization: Bearer sk-…`.");
    }
    const key = this.keys.get(token);
    if (!key && anyKey) return { key: token, group: DEFAULT_GROUP };
    if (!key) throw unauthorized(`The API key ${maskKey(token)} does not exist or was deleted.`);
    if (key.disabled) throw unauthorized(`The API key ${maskKey(token)} is disabled.`);
    if (key.expiresAt !== undefined && key.expiresAt <= now()) {
      throw unauthorized(`The API key ${maskKey(token)} has expired.`);
    }
    return key;
  }

  /** The models the key may call under a base address, in the order of the table. */
  modelsOf(key: StoredKey, base: BaseKind): ModelEntry[] {
    return this.settings.groups
      .modelsOf(key.group)
      .filter(
        ({ id, capability, specializedOnly }) =>
          (key.models?.includes(id) ?? true) &&
          (!specializedOnly || SPECIALIZED_BASES.includes(base)) &&
          (capability !== "moderation" || key.moderation === true),
      );
  }

  /** The models of its group that the key itself is not allowed. */
  deniedModelsOf({ group, models }: StoredKey): ModelEntry[] {
    return models ? this.settings.groups.modelsOf(group).filter(({ id }) => !models.includes(id)) : [];
  }

  private store(given: EmulatorKey): void {
    const { groups, models } = this.settings;
    const key = { ...given, group: given.group ?? DEFAULT_GROUP };
    if (!/^sk-\S+$/.test(key.key)) {
      throw new Refusal(`A key starts with "sk-" and has no spaces (got "${key.key}").`);
    }
    if (!groups.has(key.group)) {
      const names = groups.list().map(({ name }) => name);
      throw new Refusal(`The token group "${key.group}" is unknown; there are ${names.join(", ")}.`);
    }
    models.requireKnown(key.models ?? []);
    requireInteger("quota", key.quota, 0);
    requireInteger("rateLimit.requests", key.rateLimit?.requests, 1);
    requireInteger("rateLimit.windowMs", key.rateLimit?.windowMs, 1);
    const kept = structuredClone(key);
    this.keys.set(key.key, kept);
    this.changes?.set(key.key, () => kept);
  }
}

/** A key as it may stand in logs and messages. */
export function maskKey(key: string): string {
  return key.length >= 12 ? `sk-…${key.slice(-4)}` : "sk-…";
}

function unauthorized(message: string): APIError {
  return new APIError(message, {
    status: 401,
    code: "invalid_api_key",
    headers: { "www-authenticate": "Bearer" },
  });
}

function requireInteger(name: string, value: number | undefined, min: number): void {
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= min)) {
    throw new Refusal(`${name} of a key must be an integer of at least ${min} (got ${value}).`);
  }
}
