import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { systemErrorCode } from "../../files/system-error-code.js";

/** Who holds a lock: what its file says. Plain JSON. */
export interface LockOwner {
  pid: number;
  host: string;
  /** Tells this process from others that had or will have its number. Absent where the system does not tell. */
  incarnation?: string;
  /** Names this one lock. */
  token: string;
  /** When it was taken, for people: an ISO date. */
  since: string;
  /** After so many milliseconds without a sign of life, whoever cannot ask for the owner may take the lock over. */
  leaseMs?: number;
}

/**
 * Whether the owner of a lock still runs. `unsure`: on another machine or in another container, or where the system
 * does not tell a process from another one with its number, so that only its signs of life tell.
 */
export type OwnerState = "alive" | "dead" | "unsure";

/** This process, about to take a lock. */
export function newOwner(leaseMs: number): LockOwner {
  const incarnation = incarnationOf(process.pid);
  return {
    pid: process.pid,
    host: hostname(),
    ...(incarnation !== undefined && { incarnation }),
    token: randomUUID(),
    since: new Date().toISOString(),
    leaseMs,
  };
}

/** @param heldHere whether this process holds the lock with that token */
export function stateOf(owner: LockOwner, heldHere: (token: string) => boolean): OwnerState {
  if (owner.host !== hostname()) return "unsure";
  const incarnation = incarnationOf(owner.pid);
  if (owner.pid === process.pid) {
    // In a container every process may be number 1. One that is this very process holds the lock in another
    // thread, or in another copy of this module.
    const isThisProcess = incarnation !== undefined && incarnation === owner.incarnation;
    return isThisProcess || heldHere(owner.token) ? "alive" : "dead";
  }
  if (!answers(owner.pid)) return "dead";
  if (owner.incarnation === undefined || incarnation === undefined) return "unsure";
  return incarnation === owner.incarnation ? "alive" : "dead";
}

/** Reads what a lock file says, or undefined when it says something else. */
export function parseOwner(text: string): LockOwner | undefined {
  try {
    const owner: Partial<LockOwner> | null = JSON.parse(text);
    const isOwner =
      typeof owner?.pid === "number" && typeof owner.host === "string" && typeof owner.token === "string";
    return isOwner ? (owner as LockOwner) : undefined;
  } catch {
    return undefined;
  }
}

/** A folder that exists as long as the process does, where the system has one. */
export function processFolder(pid: number): string {
  return `/proc/${pid}`;
}

function answers(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not allowed to signal it: it is there, and somebody else's.
    return systemErrorCode(error) === "EPERM";
  }
}

/**
 * Boot and start time of a process: its number alone is given to others again. `over` for one that has ended, and
 * whose parent has not looked yet.
 */
function incarnationOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`${processFolder(pid)}/stat`, "utf8");
    // The second field is the program's name in parentheses, and may hold blanks and parentheses itself.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state] = fields;
    if (state === "Z" || state === "X") return "over";
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot}/${fields[19]}`;
  } catch {
    return undefined;
  }
}
