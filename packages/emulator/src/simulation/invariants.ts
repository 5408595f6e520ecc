import { inspect } from "node:util";
import type { Purchase } from "./purchases.js";
import type { World } from "./world.js";

/**
 * Something that is true at every moment of every world.
 *
 * @returns what is wrong, in a sentence; undefined when it holds
 */
export type Invariant = (world: World) => string | undefined;

/** What every application wants that pays for calls. Held unless `invariants` gives another one by the same name. */
export const STANDARD_INVARIANTS: Record<string, Invariant> = {
  "nothing is paid twice": (world) => first(world, paidTwice),
  "nothing paid is lost": (world) => (world.over ? first(world, lost) : undefined),
  "the key stays secret": (world) => {
    const text = unreadTexts(world).find((unread) => unread.includes(world.apiKey));
    if (text !== undefined)
      return `The key stands in: ${text.slice(0, 200).replaceAll(world.apiKey, "‹key›")}`;
    return world.leaks[0];
  },
  "nothing is left behind": (world) => {
    const pending = world.over ? world.pending() : [];
    return pending.length > 0 ? `In the end there still are: ${pending.join(", ")}` : undefined;
  },
  "nobody listens any more": (world) => {
    const listening = world.over ? world.listening() : [];
    return listening.length > 0 ? `In the end there still are listeners: ${listening.join(", ")}` : undefined;
  },
};

function first(world: World, find: (purchase: Purchase) => string | undefined): string | undefined {
  for (const purchase of world.purchases.list()) {
    const found = find(purchase);
    if (found !== undefined) return found;
  }
  return undefined;
}

function paidTwice({ name, paid }: Purchase): string | undefined {
  return paid > 1 ? `${name} was paid ${paid} times` : undefined;
}

/** Paid, and everybody who asked was told that it failed; or told that it succeeded, and nobody was charged. */
function lost({ name, charged, paid, outcomes }: Purchase): string | undefined {
  const told = new Set(outcomes.map((outcome) => outcome.told));
  if (told.has("success") && charged === 0) return `${name} succeeded, and the gateway knows nothing of it`;
  const isKnown = told.has("success") || told.has("doubt") || told.has("cut");
  if (paid > 0 && !isKnown) return `${name} was paid, and whoever asked was told that it failed for certain`;
  return undefined;
}

const readSoFar = new WeakMap<World, { log: number; told: number; errors: Set<unknown> }>();

/** What was logged and told since the last time, and in the end what happened. */
function unreadTexts(world: World): string[] {
  const { log, purchases, over, trace } = world;
  const read = readSoFar.get(world) ?? { log: 0, told: 0, errors: new Set() };
  readSoFar.set(world, read);
  if (read.log === log.length && read.told === purchases.outcomes && !over) return [];
  const logged = log.slice(read.log);
  read.log = log.length;
  read.told = purchases.outcomes;
  const told: string[] = [];
  for (const { error } of purchases.list().flatMap(({ outcomes }) => outcomes)) {
    if (read.errors.has(error)) continue;
    read.errors.add(error);
    told.push(textOf(error));
  }
  return [...logged, ...told, ...(over ? trace.lines : [])];
}

/** All that a log could show of an error. */
function textOf(error: unknown): string {
  return inspect(error, { depth: 8, showHidden: true, maxStringLength: null, maxArrayLength: null });
}
