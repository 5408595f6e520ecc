import { MODEL_GROUPS, type ModelEntry, type ModelGroup, modelTable } from "../models/model-table.js";
import { ApiError } from "../server/api-error.js";
import { type BaseKind, SPECIALIZED_BASES } from "../server/base-kinds.js";

/** The key that every emulator accepts: group `default`, no expiry. */
export const WELL_KNOWN_KEY = "sk-emulator";

/** An API key as an operator sees it. */
export interface EmulatorKey {
  /** The key itself; starts with `sk-`. */
  key: string;
  /** The token group, which decides the models: `default`, `auto` or `image_video`. */
  group: ModelGroup;
  /** Narrows the group to these model ids. */
  models?: string[];
  /** A disabled key answers 401. */
  disabled?: boolean;
  /** Milliseconds since the epoch on the emulator's clock; from then on the key answers 401. */
  expiresAt?: number;
  /** Whether `POST /moderations` is enabled for the key. Default false. */
  moderation?: boolean;
}

/** The keys of the gateway and what each may call. */
export class KeyStore {
  private readonly keys = new Map<string, EmulatorKey>();
  private readonly initial: readonly EmulatorKey[];
  private readonly now: () => number;

  constructor(initial: readonly EmulatorKey[], now: () => number) {
    this.initial = [{ key: WELL_KNOWN_KEY, group: "default" }, ...initial];
    this.now = now;
    this.reset();
  }

  /** Adds a key. @throws TypeError when it exists, does not start with `sk-`, or its group or a model is unknown. */
  add(key: EmulatorKey): void {
    if (this.keys.has(key.key)) throw new TypeError(`The key ${maskKey(key.key)} exists; use keys.update.`);
    this.store(key);
  }

  /** Changes an existing key. @throws TypeError when there is no such key. */
  update(key: string, changes: Partial<Omit<EmulatorKey, "key">>): void {
    const current = this.keys.get(key);
    if (!current) throw new TypeError(`There is no key ${maskKey(key)}; use keys.add.`);
    this.store({ ...current, ...changes });
  }

  /** Deletes a key; requests with it answer 401 from now on. Returns whether it existed. */
  remove(key: string): boolean {
    return this.keys.delete(key);
  }

  list(): EmulatorKey[] {
    return [...this.keys.values()].map((key) => structuredClone(key));
  }

  reset(): void {
    this.keys.clear();
    for (const key of this.initial) this.store(key);
  }

  /** The key of an `Authorization` header. @throws ApiError 401 for every way in which it cannot be used. */
  authenticate(header: string | null): EmulatorKey {
    if (header === null) {
      throw unauthorized("The Authorization header is missing. Send `Authorization: Bearer sk-…`.");
    }
    const token = /^Bearer +(\S+)$/i.exec(header.trim())?.[1];
    if (!token?.startsWith("sk-")) {
      throw unauthorized("The Authorization header is malformed. Send `Authorization: Bearer sk-…`.");
    }
    const key = this.keys.get(token);
    if (!key) throw unauthorized(`The API key ${maskKey(token)} does not exist or was deleted.`);
    if (key.disabled) throw unauthorized(`The API key ${maskKey(token)} is disabled.`);
    if (key.expiresAt !== undefined && key.expiresAt <= this.now()) {
      throw unauthorized(`The API key ${maskKey(token)} has expired.`);
    }
    return key;
  }

  /** The models the key may call under a base address, in the order of the table. */
  modelsOf(key: EmulatorKey, base: BaseKind): ModelEntry[] {
    return modelTable.filter(
      ({ id, groups, capability, specializedOnly }) =>
        groups.includes(key.group) &&
        (key.models?.includes(id) ?? true) &&
        (!specializedOnly || SPECIALIZED_BASES.includes(base)) &&
        (capability !== "moderation" || key.moderation === true),
    );
  }

  private store(key: EmulatorKey): void {
    if (!/^sk-\S+$/.test(key.key))
      throw new TypeError(`A key starts with "sk-" and has no spaces (got "${key.key}").`);
    if (!MODEL_GROUPS.includes(key.group)) {
      throw new TypeError(`The token group "${key.group}" is unknown; there are ${MODEL_GROUPS.join(", ")}.`);
    }
    const unknown = key.models?.find((id) => !modelTable.some((model) => model.id === id));
    if (unknown !== undefined) throw new TypeError(`The emulator serves no model "${unknown}".`);
    this.keys.set(key.key, structuredClone(key));
  }
}

/** A key as it may stand in logs and messages. */
export function maskKey(key: string): string {
  return key.length >= 12 ? `sk-…${key.slice(-4)}` : "sk-…";
}

function unauthorized(message: string): ApiError {
  return new ApiError(message, {
    status: 401,
    code: "invalid_api_key",
    headers: { "www-authenticate": "Bearer" },
  });
}
