import type { Field } from "../checks/field.js";
import { collectMembers } from "../checks/read-members.js";
import type { ChangeLog, PartChanges } from "../persistence/change-log.js";
import type { KeptEntry } from "../persistence/kept-entry.js";
import type { KeptStore } from "../persistence/kept-store.js";
import { loadPart } from "../persistence/load-part.js";
import { Counters } from "./counters.js";
import { matchesPath } from "./matches-path.js";
import { FAULT_MEMBERS } from "./read-fault.js";
import { Refusal } from "./refusal.js";
import { requireInteger } from "./require-integer.js";

/** How a fault makes the gateway misbehave. */
export const FAULT_KINDS = [
  "status",
  "delay",
  "slow-stream",
  "cut-stream",
  "malformed-json",
  "html",
  "drop-before",
  "drop-after",
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

/** A fault and the requests it hits: all of `path`, `model` and `key` that are given must match. */
export interface Fault {
  /**
   * - `status`: answers `status` (500) with the Error body; 429 and 503 carry `Retry-After: 1`
   * - `delay`: answers as usual, `delayMs` (1000) later
   * - `slow-stream`: waits `delayMs` (200) before every piece of the body
   * - `cut-stream`: closes the connection cleanly in the middle of the body
   * - `malformed-json`: answers as usual, but the JSON (of one event, in a stream) is broken
   * - `html`: answers an HTML page with `status` (200), as a misconfigured proxy does
   * - `drop-before`: destroys the connection without doing anything
   * - `drop-after`: does what was asked, then destroys the connection without answering
   */
  kind: FaultKind;
  /** Path below the base address, such as `/chat/completions`; a trailing `*` matches any rest. */
  path?: string;
  model?: string;
  /** The whole key. */
  key?: string;
  /** How many requests it hits before it is gone; without it the fault stays until cleared. */
  times?: number;
  /** Status of `status` and `html`. */
  status?: number;
  /** Milliseconds of `delay` and `slow-stream`. */
  delayMs?: number;
}

/** A fault in force. */
export interface ActiveFault extends Fault {
  id: string;
  /** How many requests it will still hit; absent when it stays until cleared. */
  left?: number;
}

/** What is known of a request when faults are looked up. */
export interface FaultTarget {
  path: string;
  model: string | null;
  key: string | null;
}

interface KeptFault {
  id: string;
  fault: Fault;
  left: number;
}

const PART = "faults";

/** The faults in force, in the order in which they were added. */
export class FaultStore implements KeptStore {
  private faults: KeptFault[] = [];
  private readonly counters: Counters;
  private readonly changes: PartChanges | undefined;

  constructor(counters = new Counters(), changes?: ChangeLog) {
    this.counters = counters;
    this.changes = changes?.of(PART);
  }

  /** Puts a fault in force and returns its id. @throws TypeError for an unknown kind or a value out of range. */
  add(fault: Fault): string {
    requireSense(fault);
    const id = this.counters.next("fault");
    this.put({ id, fault: { ...fault }, left: fault.times ?? Number.POSITIVE_INFINITY });
    return id;
  }

  list(): ActiveFault[] {
    return this.faults.map(described);
  }

  /** Lifts one fault, or all of them. */
  clear(id?: string): void {
    const lifted = this.faults.filter((entry) => id === undefined || entry.id === id);
    this.faults = this.faults.filter((entry) => !lifted.includes(entry));
    for (const entry of lifted) this.changes?.delete(entry.id);
  }

  /** The first fault that hits the request, with one of its `times` used up. */
  take(target: FaultTarget): (Fault & { id: string }) | undefined {
    const hit = this.faults.find(({ fault }) => matches(fault, target));
    if (!hit) return undefined;
    hit.left -= 1;
    if (hit.left <= 0) this.clear(hit.id);
    else this.changes?.set(hit.id, () => described(hit));
    return { ...hit.fault, id: hit.id };
  }

  *save(): Iterable<KeptEntry> {
    for (const entry of this.faults) yield { part: PART, key: entry.id, value: described(entry) };
  }

  load(state: Field): void {
    const read = (entry: Field) =>
      collectMembers<ActiveFault>(
        entry,
        {
          id: (field) => field.nonEmptyString(),
          left: (field) => field.integer({ min: 1 }),
          ...FAULT_MEMBERS,
        },
        { vital: ["id", "kind"], complete: true },
      ) as ActiveFault;
    loadPart(state, PART, read, ({ id, left, ...fault }) => {
      requireSense(fault);
      this.put({ id, fault, left: left ?? fault.times ?? Number.POSITIVE_INFINITY });
    });
  }

  private put(fault: KeptFault): void {
    this.faults.push(fault);
    this.changes?.set(fault.id, () => described(fault));
  }
}

function described({ id, fault, left }: KeptFault): ActiveFault {
  return { id, ...fault, ...(fault.times === undefined ? {} : { left }) };
}

function requireSense(fault: Fault): void {
  if (!FAULT_KINDS.includes(fault.kind)) {
    throw new Refusal(`The fault kind "${fault.kind}" is unknown; there are ${FAULT_KINDS.join(", ")}.`);
  }
  requireInteger("times of a fault", fault.times, 1, Number.MAX_SAFE_INTEGER);
  requireInteger("status of a fault", fault.status, fault.kind === "html" ? 200 : 400, 599);
  requireInteger("delayMs of a fault", fault.delayMs, 0);
}

function matches(fault: Fault, target: FaultTarget): boolean {
  return (
    (fault.path === undefined || matchesPath(fault.path, target.path)) &&
    (fault.model === undefined || fault.model === target.model) &&
    (fault.key === undefined || fault.key === target.key)
  );
}
