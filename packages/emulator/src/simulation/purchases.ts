import type { Emulator } from "../emulator.js";

/** What somebody was told of a purchase. */
export interface Outcome {
  /** `doubt`: it may have been paid for, and says so. `cut`: the process that asked died. */
  told: "success" | "failure" | "doubt" | "cut";
  error?: unknown;
}

/** One thing that somebody wants to buy once. */
export interface Purchase {
  name: string;
  /** How often it was asked for. */
  asked: number;
  outcomes: Outcome[];
  /** Calls of it that the gateway charged and did not refund. */
  paid: number;
  /** Calls of it that the gateway charged. */
  charged: number;
}

interface Intent {
  asked: number;
  outcomes: Outcome[];
  endpoint: string | undefined;
}

/** Who bought what, and what the gateway says of it. */
export class Purchases {
  readonly #emulator: Emulator;
  readonly #intents = new Map<string, Intent>();
  readonly #requests = new Map<string, string>();
  #counted = { state: "", counts: new Map<string, { charged: number; paid: number }>() };
  #listed: { state: string; purchases: readonly Purchase[] } = { state: "", purchases: [] };
  #asked = 0;
  #outcomes = 0;

  constructor(emulator: Emulator) {
    this.#emulator = emulator;
  }

  asked(name: string, endpoint: string | undefined): Intent {
    const known = this.#intents.get(name) ?? { asked: 0, outcomes: [], endpoint };
    known.asked += 1;
    this.#asked += 1;
    this.#intents.set(name, known);
    return known;
  }

  told(intent: Intent, outcome: Outcome): void {
    intent.outcomes.push(outcome);
    this.#outcomes += 1;
  }

  charged(intent: string | undefined, requestId: string): void {
    if (intent !== undefined) this.#requests.set(requestId, intent);
  }

  /** How often somebody was told something. */
  get outcomes(): number {
    return this.#outcomes;
  }

  /** The purchase of this name; one that nobody asked for cost nothing. */
  of(name: string): Purchase {
    const purchase = this.list().find((candidate) => candidate.name === name);
    return purchase ?? { name, asked: 0, outcomes: [], charged: 0, paid: 0 };
  }

  list(): readonly Purchase[] {
    const counts = this.#count();
    // Asked for at every moment of a world.
    const state = `${this.#counted.state} ${this.#asked} ${this.#outcomes}`;
    if (state === this.#listed.state) return this.#listed.purchases;
    const purchases = Array.from(this.#intents, ([name, { asked, outcomes }]) => {
      const { charged = 0, paid = 0 } = counts.get(name) ?? {};
      return { name, asked, outcomes, charged, paid };
    });
    this.#listed = { state, purchases };
    return purchases;
  }

  #count(): Map<string, { charged: number; paid: number }> {
    const { calls, units } = this.#emulator.ledger.total();
    // The ledger copies what it lists.
    const state = `${calls} ${units} ${this.#requests.size}`;
    if (state === this.#counted.state) return this.#counted.counts;
    const ledger = this.#emulator.ledger.list();
    const refunded = new Set(ledger.flatMap(({ kind, taskId }) => (kind === "refund" ? [taskId] : [])));
    const counts = new Map<string, { charged: number; paid: number }>();
    for (const { kind, requestId, taskId, endpoint } of ledger) {
      const name = this.#requests.get(requestId);
      if (kind !== "charge" || name === undefined) continue;
      const { endpoint: bought = endpoint } = this.#intents.get(name) ?? {};
      if (bought !== endpoint) continue;
      const count = counts.get(name) ?? { charged: 0, paid: 0 };
      count.charged += 1;
      if (taskId === undefined || !refunded.has(taskId)) count.paid += 1;
      counts.set(name, count);
    }
    this.#counted = { state, counts };
    return counts;
  }
}
