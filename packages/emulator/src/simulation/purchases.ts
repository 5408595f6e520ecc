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

/** Who bought what, and what the gateway says of it. */
export class Purchases {
  readonly #emulator: Emulator;
  readonly #intents = new Map<string, { asked: number; outcomes: Outcome[] }>();
  readonly #requests = new Map<string, string>();

  constructor(emulator: Emulator) {
    this.#emulator = emulator;
  }

  asked(intent: string): { asked: number; outcomes: Outcome[] } {
    const known = this.#intents.get(intent) ?? { asked: 0, outcomes: [] };
    known.asked += 1;
    this.#intents.set(intent, known);
    return known;
  }

  charged(intent: string | undefined, requestId: string): void {
    if (intent !== undefined) this.#requests.set(requestId, intent);
  }

  /** The purchase of this name; one that nobody asked for cost nothing. */
  of(name: string): Purchase {
    const purchase = this.list().find((candidate) => candidate.name === name);
    return purchase ?? { name, asked: 0, outcomes: [], charged: 0, paid: 0 };
  }

  list(): Purchase[] {
    const ledger = this.#emulator.ledger.list();
    const refunded = new Set(
      ledger.flatMap(({ kind, taskId }) => (kind === "refund" && taskId ? [taskId] : [])),
    );
    return Array.from(this.#intents, ([name, { asked, outcomes }]) => {
      const charges = ledger.filter(
        ({ kind, requestId }) => kind === "charge" && this.#requests.get(requestId) === name,
      );
      const paid = charges.filter(({ taskId }) => taskId === undefined || !refunded.has(taskId)).length;
      return { name, asked, outcomes, charged: charges.length, paid };
    });
  }
}
