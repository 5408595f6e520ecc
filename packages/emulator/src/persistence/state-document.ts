import { Field } from "../checks/field.js";
import { APIError } from "../http/api-error.js";
import { isRecord } from "../json/is-record.js";
import type { KeptEntry } from "./kept-entry.js";

export const STATE_FORMAT = "model-gateway-emulator-state";
export const STATE_VERSION = 1;

/**
 * All that an emulator holds, as JSON: keys (whole), groups, models, ledger, replies, faults, tasks, callbacks, recipes of
 * files, the journal, the clock, and the secret that signs links. Each part is a list of its entries.
 */
export interface EmulatorState {
  format: typeof STATE_FORMAT;
  version: typeof STATE_VERSION;
  [part: string]: unknown;
}

/** The parts of a state, in the order in which they are written. */
export const STATE_PARTS: readonly string[] = [
  ...["clock", "secret", "counters", "models", "groups", "keys", "ledger", "spent", "faults", "replies"],
  ...["tasks", "callbacks", "files", "journal"],
];

/** Entries as one document. */
export function toStateDocument(entries: Iterable<KeptEntry>): EmulatorState {
  const parts = new Map<string, object[]>(STATE_PARTS.map((part) => [part, []]));
  for (const { part, value } of entries) parts.get(part)?.push(value);
  // A copy: what is exported does not change with what goes on.
  const content = JSON.parse(JSON.stringify(Object.fromEntries(parts))) as Record<string, unknown>;
  return { format: STATE_FORMAT, version: STATE_VERSION, ...content };
}

/**
 * A document ready to be read. A part that it leaves out is empty.
 *
 * @throws APIError 400 for what is no state, or one of a later version
 */
export function readStateDocument(document: unknown): Field {
  requireStateVersion(document);
  const state = Field.body(document);
  for (const name of Object.keys(document as object)) {
    if (name === "format" || name === "version") continue;
    if (STATE_PARTS.includes(name)) state.get(name).items("a list of entries");
    else state.get(name).refuse(`is no part of a state; there are ${STATE_PARTS.join(", ")}`);
  }
  state.finish();
  return state;
}

/** @throws APIError 400 unless it is a state that this version of the emulator can read */
export function requireStateVersion(head: unknown): void {
  if (!isRecord(head)) throw APIError.badRequest("A state is a JSON object, and this is none.");
  const field = Field.body(head);
  const format = field.get("format");
  if (format.oneOf([STATE_FORMAT]) !== undefined) {
    const version = field.get("version");
    const written = version.integer({ min: 1 }) ?? STATE_VERSION;
    if (written > STATE_VERSION) {
      version.refuse(
        `is ${written}: a later version of the emulator wrote it, and this one reads up to ${STATE_VERSION}; update the emulator`,
      );
    }
  }
  field.finish();
}
