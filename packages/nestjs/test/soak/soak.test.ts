import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Emulator, Fault } from "@model-gateway/emulator";
import { randomNumbers } from "@model-gateway/scenario-server";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { compileChild, startChild } from "../child.js";
import type { SoakMessage, SoakReplicaArgument } from "../children/soak-replica.js";
import { useEmulator } from "../use-emulator.js";
import { usePostgres } from "../use-postgres.js";
import { hasRedisServer, RedisServer } from "../use-redis.js";
import { type PaidTask, paidTasks, submissionOf } from "./gateway-truth.js";
import { Replica } from "./replica.js";

// Everything goes wrong at once, for as long as there is something to submit: replicas are killed, stopped and started
// again, the broker goes away, the gateway refuses, breaks and lies. In the end all tasks have ended, each was paid for
// once, and nobody was told what was not so. `pnpm soak` does it with thousands; SOAK_SEED repeats a run's choices.

const TASKS = Number(process.env["SOAK_TASKS"] ?? 40);
const SEED = Number(process.env["SOAK_SEED"] ?? Date.now() % 1_000_000);
const REPLICAS = 3;
const SUBMITTING_AT_ONCE = 10;
/** Between two submissions, on average: they come as long as there is trouble. */
const GAP_MS = 100;
const LEASE_MS = 3_000;

const FAULTS: Fault[] = [
  ...[400, 401, 403, 404, 429, 500, 502, 503].map((status) => ({ kind: "status" as const, status })),
  { kind: "html" },
  { kind: "malformed-json" },
  { kind: "cut-stream" },
  { kind: "drop-before" },
  { kind: "drop-after" },
  { kind: "delay", delayMs: 400 },
  // Longer than the client waits.
  { kind: "delay", delayMs: 3_000 },
];
/** Submissions and polls, or polls alone. */
const FAULTY_PATHS = ["/videos*", "/videos/*"];

interface Broker {
  url: string;
  /** Goes away in one of its ways, and comes back. */
  interrupt(random: () => number): Promise<void>;
  stop(): Promise<void>;
}

async function startRedis(): Promise<Broker> {
  const server = await RedisServer.start();
  return {
    url: server.url,
    stop: () => server.stop(),
    async interrupt(random) {
      if (random() < 0.5) {
        server.halt();
        await pause(random() * 1_500);
        server.goOn();
      } else {
        await server.kill();
        await pause(random() * 1_500);
        await server.startAgain();
      }
    },
  };
}

async function startPostgres(): Promise<Broker> {
  const server = await usePostgres();
  return {
    url: server.url,
    stop: () => server.stop(),
    async interrupt(random) {
      await server.shutDown();
      await pause(random() * 1_500);
      await server.startAgain();
    },
  };
}

let program: Awaited<ReturnType<typeof compileChild>>;
beforeAll(async () => {
  program = await compileChild("soak-replica");
});
afterAll(() => program.remove());

const keyOf = (index: number) => `order-${index}`;
const KEYS = Array.from({ length: TASKS }, (_, index) => keyOf(index));

describe.each([
  ["PostgreSQL", true, startPostgres],
  ["Redis", hasRedisServer, startRedis],
] as const)("on %s", (name, isThere, startBroker) => {
  it.skipIf(!isThere)(
    `${TASKS} tasks over ${REPLICAS} replicas end, each paid once, and nobody is told a lie (SOAK_SEED=${SEED})`,
    async () => {
      const random = randomNumbers(SEED);
      const broker = await startBroker();
      onTestFinished(() => broker.stop());
      const videoTimings = { queuedMs: 200, runningMs: 1_500 };
      const { emulator, connection } = await useEmulator({ videoTimings });
      const onPostgres = name === "PostgreSQL";
      const argument: SoakReplicaArgument = {
        ...connection,
        onPostgres,
        store: {
          connection: onPostgres ? { connectionString: broker.url, migrate: true, max: 4 } : broker.url,
          queueName: `soak-${randomUUID()}`,
          lockDurationMs: 1_000,
          submissionLeaseMs: LEASE_MS,
          retention: { maxFinished: TASKS * 2 },
        },
      };
      const soak = new Soak(emulator, random, () => startChild(program.file, argument));
      await soak.run(broker);
      await soak.settle();
      const truth = paidTasks(emulator, keyOf);
      const records = await soak.records();

      expect(soak.lies(truth)).toEqual([]);
      expect(KEYS.filter((key) => truth.get(key)?.length !== 1)).toEqual([]);
      expect(
        records.map(({ key, status, taskId, stalled }) => [key, status, taskId, stalled]).sort(),
      ).toEqual(KEYS.map((key) => [key, truth.get(key)?.[0]?.status, truth.get(key)?.[0]?.id, false]).sort());
      await expect.poll(() => soak.troubles()).toEqual([]);
      console.log(`${name}: ${soak.summary()}`);
    },
    TASKS * 1_000 + 240_000,
  );
});

/** Orders about a fleet of replicas, and makes trouble. */
class Soak {
  private readonly replicas: Replica[] = [];
  /** Keys that nobody is submitting and that are not known to be held. */
  private readonly open = new Set(KEYS);
  private readonly inDoubt = new Set<string>();
  private readonly heard: Array<{ key: string; status: string }> = [];
  private readonly counts = new Map<string, number>();
  private submitted = 0;
  private fighting = true;

  constructor(
    private readonly emulator: Emulator,
    private readonly random: () => number,
    private readonly start: () => ReturnType<typeof startChild>,
  ) {}

  /** Submits everything amid troubles. */
  async run(broker: Broker): Promise<void> {
    await Promise.all(Array.from({ length: REPLICAS }, () => this.boot()));
    const submitting = this.submitAll();
    while (this.submitted < TASKS) {
      await this.makeTrouble(broker);
      await pause(100 + this.random() * 400);
    }
    this.emulator.faults.clear();
    this.fighting = false;
    await submitting;
  }

  /** What an operator does when it is over: looks up submissions of unknown outcome, and has the others made again. */
  async settle(): Promise<void> {
    for (;;) {
      const records = await this.records();
      const unknown = records.filter(({ status, taskId }) => status === "unknown" && taskId === undefined);
      for (const { key } of unknown) {
        const [task] = paidTasks(this.emulator, keyOf).get(key) ?? [];
        const finding = task === undefined ? { notPaid: true as const } : { taskId: task.id };
        const answer = await this.pick().ask({ order: "reconcile", key, finding }, "reconciled");
        this.count(answer?.error === undefined ? "reconciled" : "not reconciled");
        if (task === undefined) this.open.add(key);
      }
      const known = new Set(records.map(({ key }) => key));
      for (const key of KEYS) if (!known.has(key)) this.open.add(key);
      for (const { key, status } of records) if (status === "rejected") this.open.add(key);
      await this.submitAll();
      const isOver = ({ status }: { status: string }) => status === "succeeded" || status === "failed";
      if (records.length === TASKS && records.every(isOver)) return;
      await pause(200);
    }
  }

  async records() {
    for (;;) {
      const answer = await this.pick().ask({ order: "list" }, "records");
      if (answer?.records !== undefined) return answer.records;
      await pause(100);
    }
  }

  async troubles(): Promise<string[] | undefined> {
    return (await this.pick().ask({ order: "troubles" }, "troubles"))?.troubles;
  }

  /** What watchers heard that was not so: `unknown` is an honest word about what nobody could know. */
  lies(truth: Map<string, PaidTask[]>): unknown[] {
    return this.heard.filter(({ key, status }) => {
      if (status === "unknown") return !this.inDoubt.has(key);
      return status !== "rejected" && status !== truth.get(key)?.[0]?.status;
    });
  }

  summary(): string {
    return [...this.counts].map(([what, count]) => `${count} ${what}`).join(", ");
  }

  private async boot(): Promise<void> {
    const replica = new Replica(this.start(), (message) => this.hear(message));
    this.replicas.push(replica);
    void replica.over.then(() => {
      this.replicas.splice(this.replicas.indexOf(replica), 1);
      // Nobody knows how they went: the key says so when it is submitted again.
      for (const key of replica.submitting) {
        this.inDoubt.add(key);
        this.open.add(key);
      }
    });
    await replica.up;
    // A broker that is away lets nobody start.
    if (replica.ended) await pause(100).then(() => this.boot());
  }

  private hear(message: SoakMessage): void {
    if (message.told === "heard") this.heard.push(message);
    if (message.told !== "failed") return;
    this.count(message.maybePaid ? "in doubt" : "not paid");
    // Also where nothing was paid: the broker may be away when that is to be written down.
    this.inDoubt.add(message.key);
    this.open.add(message.key);
  }

  private async submitAll(): Promise<void> {
    const isBusy = () => this.replicas.some(({ submitting }) => submitting.size > 0);
    while (this.open.size > 0 || isBusy() || this.fighting) {
      for (const key of [...this.open]) {
        const free = this.replicas.filter(
          ({ ready, submitting }) => ready && submitting.size < SUBMITTING_AT_ONCE,
        );
        const replica = free[Math.floor(this.random() * free.length)];
        if (replica === undefined) break;
        this.open.delete(key);
        replica.send({ order: "submit", key, submission: submissionOf(KEYS.indexOf(key)) });
        this.submitted++;
        if (this.fighting) await pause(this.random() * 2 * GAP_MS);
      }
      await pause(20);
    }
  }

  private async makeTrouble(broker: Broker): Promise<void> {
    const dice = this.random();
    if (dice < 0.2) {
      this.count("killed");
      this.pick().kill();
      await this.boot();
    } else if (dice < 0.35) {
      this.count("stopped");
      const leaving = this.pick();
      leaving.send({ order: "close" });
      await leaving.over;
      await this.boot();
    } else if (dice < 0.5) {
      this.count("interruptions of the broker");
      await broker.interrupt(this.random);
    } else {
      this.count("faults of the gateway");
      const choose = <T>(from: T[]) => from[Math.floor(this.random() * from.length)] as T;
      const id = this.emulator.faults.add({ ...choose(FAULTS), path: choose(FAULTY_PATHS) });
      await pause(this.random() * 1_500);
      this.emulator.faults.clear(id);
    }
  }

  private pick(): Replica {
    const ready = this.replicas.filter((replica) => replica.ready);
    const replica = ready[Math.floor(this.random() * ready.length)];
    if (replica === undefined) throw new Error("No replica is up.");
    return replica;
  }

  private count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
}
