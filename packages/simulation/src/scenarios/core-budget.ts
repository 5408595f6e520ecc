import { GatewayError, ModelGateway } from "@model-gateway/core";
import {
  type Budget,
  type BudgetStore,
  createBudget,
  MemoryBudgetStore,
  type OpenReservation,
} from "@model-gateway/core/budget";
import { FileBudgetStore } from "@model-gateway/core/node";
import { priceBook } from "@model-gateway/core/prices";
import type { Invariant, World } from "@model-gateway/emulator/simulation";

const UNITS = 500_000;
/** What the emulator takes for an image of this size. */
const IMAGE = { model: "local-image", prompt: "a fox", size: "256x256" };
const IMAGE_UNITS = 256;
const LEASE_MS = 5_000;
const LONGEST_ANSWER_MS = 40;
const LINGER_MS = 2_000;
const LONGEST_CALL_MS = 700_000;
/** It does not end while a world is there. */
const WINDOW = { ms: 100_000_000_000_000 };
const PRICES = {
  models: {
    "local-chat": { input: 0.5, output: 2 },
    "local-image": { input: 0, output: 2, imageTokens: { pixels: 256 } },
    "local-speech": { characters: 16 },
  },
};

const limits = new WeakMap<World, number>();

export const BUDGET_INVARIANTS: Record<string, Invariant> = {
  "no more is spent than the budget allows": (world) => {
    const limit = limits.get(world) ?? 0;
    const { units } = world.emulator.ledger.total();
    return units > limit ? `The gateway has charged ${units} units, and the limit is ${limit}` : undefined;
  },
};

/**
 * Two processes that spend from one budget, many calls at once, and that die in the middle of everything and start again.
 * The budget lies on the disk of the world, or in a store elsewhere that answers late, or not at all.
 */
export async function coreBudget(world: World): Promise<void> {
  const limit = world.count("admits", 1, 24) * IMAGE_UNITS;
  limits.set(world, limit);
  const remote = new RemoteStore(world);
  const isOnDisk = world.chance("disk", 0.5);
  const open = (): Spender => {
    const store = isOnDisk ? new FileBudgetStore(world.disk.path("deep/budget")) : remote;
    return spenderOf(world, limit, store);
  };
  const spenders = ["one", "other"].map((name) =>
    world.service(name, async () => {
      const spender = open();
      await spend(world, name, spender.gateway);
      await spender.budget.close();
      // A stream that was whole keeps its connection for a moment.
      await world.sleep(LINGER_MS);
    }),
  );
  await Promise.all(spenders.map(({ ended }) => ended));
  remote.isReliable = true;
  await audit(world, open(), { limit, isCalm: world.faults.length === 0 && remote.failures === 0 });
  // What the dead had set for later is over by then.
  await world.sleep(LONGEST_CALL_MS);
}

interface Spender {
  budget: Budget;
  gateway: ModelGateway;
}

function spenderOf(world: World, limit: number, store: BudgetStore): Spender {
  const budget = createBudget({
    ...{ limit: limit / UNITS, currency: "USD", window: WINDOW, store, leaseMs: LEASE_MS },
    onTrouble: ({ kind, call }) => world.trace.add("budget", `${kind}: ${call}`),
    onLevel: ({ level }) => world.trace.add("budget", `has reached ${level}`),
  });
  const gateway = new ModelGateway({
    ...{
      apiKey: world.apiKey,
      baseURL: world.baseURL,
      fetch: world.fetch,
      maxRetries: world.count("retries", 0, 2),
    },
    ...{ prices: priceBook(PRICES), budget },
  });
  return { budget, gateway };
}

async function spend(world: World, name: string, { chat, images, audio }: ModelGateway): Promise<void> {
  const messages = [{ role: "user" as const, content: "What is a fox?" }];
  const ask = { model: "local-chat", messages, max_tokens: 100 };
  const calls: Record<string, () => Promise<unknown>> = {
    image: async () => images.generate(IMAGE),
    chat: async () => chat.completions.create(ask),
    stream: async () => {
      const options = { stream: true as const, stream_options: { include_usage: true } };
      await (await chat.completions.create({ ...ask, ...options })).finalCompletion();
    },
    speech: async () =>
      (
        await audio.speech.create({
          model: "local-speech",
          input: "A fox.",
          voice: "alloy",
          format: "wav",
        })
      ).bytes(),
  };
  const names = Object.keys(calls);
  const most = world.chance(`${name} is in a rush`, 0.2) ? 64 : 12;
  const buyers = Array.from({ length: world.count(`calls of ${name}`, 1, most) }, async (_, index) => {
    const call = world.pick(`${name} ${index}`, names);
    await world.sleep(world.random(`${name} ${index} start`)() * 1_000);
    await calls[call]?.().catch((error: unknown) => {
      if (!GatewayError.isInstance(error)) throw error;
    });
  });
  await Promise.all(buyers);
}

/** In the end all is known, or somebody is told what is not. */
async function audit(
  world: World,
  { budget, gateway }: Spender,
  { limit, isCalm }: { limit: number; isCalm: boolean },
): Promise<void> {
  let open: OpenReservation[] = [];
  do {
    // Whoever spends looks after those who died.
    await gateway.images.generate({ ...IMAGE, size: "2048x2048" }).catch(() => undefined);
    await world.sleep(LEASE_MS);
    open = await budget.open();
  } while (open.some(({ state }) => state === "running"));
  const before = await budget.usage();
  const { units } = world.emulator.ledger.total();
  const spent = Math.round(before.spent * UNITS);
  world.trace.add("auditor", `${spent} of ${limit} are spent, ${units} charged, ${open.length} are open`);
  if (spent < units) throw new Error(`the budget counts ${spent}, and the gateway has charged ${units}`);
  if (spent > limit) throw new Error(`the budget counts ${spent}, which is more than its limit ${limit}`);
  if (before.reserved !== 0) throw new Error(`${before.reserved} are reserved, and nobody has reserved them`);
  if (isCalm && spent !== units)
    throw new Error(`nothing went wrong, and yet the budget counts ${spent}, and the gateway ${units}`);
  for (const { id } of open) await release(world, budget, id);
  const after = await budget.usage();
  if (after.reserved !== 0 || (await budget.open()).length > 0) throw new Error("something stays open");
  await budget.close();
}

/** As a person does whose disk was full: once more. */
async function release(world: World, budget: Budget, id: string): Promise<void> {
  for (let failed = false; ; failed = true) {
    try {
      // What failed may have been done all the same.
      if (!(await budget.release(id)) && !failed) throw new Error("what is open cannot be released");
      return;
    } catch (error) {
      if ((error as { code?: string }).code === undefined) throw error;
      world.trace.add("auditor", `releases again: ${(error as { code?: string }).code}`);
      await world.sleep(LEASE_MS);
    }
  }
}

/** A store on another machine. It never dies; its answers are late, or get lost before it acts, or after. */
class RemoteStore implements BudgetStore {
  readonly shared = true;
  isReliable = false;
  failures = 0;
  readonly #books = new MemoryBudgetStore();
  #asked = 0;

  constructor(private readonly world: World) {}

  reserve(...values: Parameters<MemoryBudgetStore["reserve"]>) {
    return this.#answer(() => this.#books.reserve(...values));
  }

  settle(...values: Parameters<MemoryBudgetStore["settle"]>) {
    return this.#answer(() => this.#books.settle(...values));
  }

  hold(...values: Parameters<MemoryBudgetStore["hold"]>) {
    return this.#answer(() => this.#books.hold(...values));
  }

  renew(...values: Parameters<MemoryBudgetStore["renew"]>) {
    return this.#answer(() => this.#books.renew(...values));
  }

  sweep(...values: Parameters<MemoryBudgetStore["sweep"]>) {
    return this.#answer(() => this.#books.sweep(...values));
  }

  async list() {
    return this.#books.list();
  }

  async look(...values: Parameters<MemoryBudgetStore["look"]>) {
    return this.#books.look(...values);
  }

  async #answer<T>(act: () => T): Promise<T> {
    const random = this.world.random(`store ${++this.#asked}`);
    await this.world.sleep(random() * LONGEST_ANSWER_MS);
    const luck = this.isReliable ? 1 : random();
    if (luck < 0.03) this.failures++;
    if (luck < 0.01) throw new Error("The store cannot be reached.");
    const answer = act();
    await this.world.sleep(random() * LONGEST_ANSWER_MS);
    if (luck < 0.03) throw new Error("The answer of the store got lost.");
    return answer;
  }
}
