import { createHash, randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Fault } from "@model-gateway/emulator";
import { randomNumbers } from "@model-gateway/scenario-server";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { compileChild, startChild } from "../child.js";
import type { SoakMessage, SoakRecord, SoakReplicaArgument } from "../children/soak-replica.js";
import { usePostgres } from "../use-postgres.js";
import { hasRedisServer, RedisServer } from "../use-redis.js";
import { type AnswerReading, readAnswer } from "./answer-reader.js";
import { type PaidTask, paidTasks, submissionOf } from "./gateway-truth.js";
import { HandlerCalls, type HandlerEnd } from "./handler-calls.js";
import { Replica } from "./replica.js";
import { type SoakGateway, useSoakGateway } from "./soak-gateway.js";

// Everything goes wrong at once, for as long as there is something to submit: replicas are killed, stopped and started
// again, the broker goes away, the gateway refuses, breaks and lies, films come badly, and handlers throw. In the end all
// tasks have ended, each was paid for once, nobody was told what was not so, each film is kept, each handler has returned and
// is not called again, each reader has its answer, and never were more tasks open than allowed. `pnpm soak` does it with
// thousands; SOAK_SEED repeats a run's choices.

const TASKS = Number(process.env["SOAK_TASKS"] ?? 40);
const SEED = Number(process.env["SOAK_SEED"] ?? Date.now() % 1_000_000);
const REPLICAS = 3;
const LIMITS = { maxOpen: 6, perTenant: 3 };
const TENANTS = ["a", "b", undefined];
/** Those of the instance without a queue, one of so many. */
const DIRECT_EACH = 4;
const ANSWERS = Math.max(6, Math.floor(TASKS / 10));
const READING_AT_ONCE = 3;
/** Submitted when all is over, to see what replicas do then. */
const LAST_FILMS = 3;
const SUBMITTING_AT_ONCE = 10;
/** Between two submissions, on average: they come as long as there is trouble. */
const GAP_MS = 100;
const LEASE_MS = 3_000;
const LOCK_MS = 1_000;
/** No busy machine makes a worker stand still for so long. */
const CALM_LOCK_MS = 60_000;

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
/** Submissions and polls, polls alone, or answers. */
const FAULTY_PATHS = ["/videos*", "/videos/*", "/chat/*"];

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

/** What the gateway refuses for good is ordered again, under another key. */
const RETRY_SEED = 1_000_000;
const indexOf = (key: string) => Number(/\d+/.exec(key)?.[0]);
const attemptOf = (key: string) => Number(/-r(\d+)$/.exec(key)?.[1] ?? 0);
const keyOf = (seed: number) => {
  const attempt = Math.floor(seed / RETRY_SEED);
  return `order-${seed % RETRY_SEED}${attempt === 0 ? "" : `-r${attempt}`}`;
};
const seedOf = (key: string) => indexOf(key) + attemptOf(key) * RETRY_SEED;
const waitsInLine = (key: string) => indexOf(key) % DIRECT_EACH !== DIRECT_EACH - 1;
const tenantOf = (key: string) => TENANTS[Math.floor(indexOf(key) / 2) % TENANTS.length];
const isOpen = ({ status }: PaidTask) => status === "queued" || status === "running";
const wasRefused = ({ status, taskId }: SoakRecord) => status === "failed" && taskId === undefined;

describe.each([
  ["PostgreSQL", true, startPostgres],
  ["Redis", hasRedisServer, startRedis],
] as const)("on %s", (name, isThere, startBroker) => {
  it.skipIf(!isThere)(
    `${TASKS} tasks over ${REPLICAS} replicas end, each paid once and kept, and nobody is told a lie (SOAK_SEED=${SEED})`,
    async () => {
      const random = randomNumbers(SEED);
      const broker = await startBroker();
      onTestFinished(() => broker.stop());
      const directory = await mkdtemp(join(tmpdir(), "soak-"));
      onTestFinished(() => rm(directory, { recursive: true, force: true }));
      const gateway = await useSoakGateway(random);
      const onPostgres = name === "PostgreSQL";
      const queueName = `soak-${randomUUID()}`;
      const argument = (lockDurationMs: number): SoakReplicaArgument => ({
        ...gateway.connection,
        onPostgres,
        directory,
        limits: LIMITS,
        store: {
          connection: onPostgres ? { connectionString: broker.url, migrate: true, max: 4 } : broker.url,
          queueName,
          lockDurationMs,
          submissionLeaseMs: LEASE_MS,
          retention: { maxFinished: TASKS * 4 },
        },
        ...(!onPostgres && { streams: { connection: broker.url, prefix: queueName } }),
      });
      const start = (lockMs: number) => startChild(program.file, argument(lockMs));
      const soak = new Soak(gateway, random, start);
      const [answers] = await Promise.all([onPostgres ? [] : soak.readAnswers(), soak.run(broker)]);
      await soak.settle();
      const lastCalls = await soak.afterwards();
      const truth = paidTasks(gateway.emulator, keyOf);
      const records = await soak.records();
      const ended = records.filter((record) => !wasRefused(record));
      const refused = records.filter(wasRefused);

      expect(soak.lies(truth, records)).toEqual([]);
      expect([...truth.values()].filter((tasks) => tasks.length !== 1)).toEqual([]);
      expect(ended.map(({ key }) => indexOf(key)).sort((one, other) => one - other)).toEqual(
        Array.from({ length: TASKS + LAST_FILMS }, (_, index) => index),
      );
      expect(ended.map(({ key, status, taskId, stalled }) => [key, status, taskId, stalled]).sort()).toEqual(
        [...truth].map(([key, [task]]) => [key, task?.status, task?.id, false]).sort(),
      );
      expect(refused.filter(({ key }) => truth.has(key))).toEqual([]);

      for (const [of, most] of soak.mostOpen)
        expect([of, most]).toEqual([of, Math.min(most, of === ALL ? LIMITS.maxOpen : LIMITS.perTenant)]);
      expect(soak.mostOpen.size).toBe(1 + TENANTS.length);

      const undelivered = records.filter(
        ({ key, status, deliveries }) =>
          !soak.calls.hasReturned(key, status) || deliveries.some(({ state }) => state !== "delivered"),
      );
      expect(undelivered).toEqual([]);
      expect(lastCalls.map(({ key }) => indexOf(key)).sort((one, other) => one - other)).toEqual(
        Array.from({ length: LAST_FILMS }, (_, index) => TASKS + index),
      );

      const kept = new Map<string, string>();
      for (const { key, status, taskId = "", files } of records) {
        const film = gateway.filmOf(taskId);
        const expected = status === "succeeded" ? [film] : undefined;
        expect([key, files?.map(({ sha256, length }) => ({ sha256, length }))]).toEqual([key, expected]);
        for (const file of files ?? []) kept.set(file.key, film.sha256);
      }
      expect(await hashesIn(directory)).toEqual(kept);

      for (const { key, text, endedEarly } of answers) {
        expect([key, gateway.paidQuestions.get(questionOf(key))]).toEqual([key, 1]);
        expect(text).toBe(await answerTo(gateway, key));
        for (const early of endedEarly) {
          expect(gateway.paidQuestions.get(questionOf(early.key)) ?? 0).toBeLessThanOrEqual(1);
          expect((await answerTo(gateway, early.key)).startsWith(early.text)).toBe(true);
        }
      }
      await expect.poll(() => soak.troubles(), { timeout: 60_000 }).toEqual([]);
      console.log(`${name}: ${soak.summary(answers)}`);
    },
    TASKS * 1_000 + 240_000,
  );
});

/** As replicas ask it. */
const questionOf = (key: string) => `Tell me everything about ${key}.`;

/** What the gateway says to whoever asks it directly; it says the same each time. */
async function answerTo({ emulator, connection }: SoakGateway, key: string): Promise<string> {
  const response = await emulator.fetch(`${emulator.url}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${connection.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "local-chat", messages: [{ role: "user", content: questionOf(key) }] }),
  });
  const { choices } = (await response.json()) as { choices: Array<{ message: { content: string } }> };
  return choices[0]?.message.content ?? "";
}

/** What stands under names that are not hidden, by key. */
async function hashesIn(directory: string): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.startsWith(".")) continue;
    const path = join(entry.parentPath, entry.name);
    const hash = createHash("sha256").update(await readFile(path));
    hashes.set(path.slice(directory.length + 1), hash.digest("hex"));
  }
  return hashes;
}

/** Whose open tasks are counted, where it is not those of a tenant. */
const ALL = "all";

/** Orders about a fleet of replicas, and makes trouble. */
class Soak {
  readonly calls: HandlerCalls;
  /** The most tasks of the instance with a queue that were ever open at the gateway at once, of all and of each tenant. */
  readonly mostOpen = new Map<string | undefined, number>();
  private readonly replicas: Replica[] = [];
  /** By number of the order: the key of its latest submission. */
  private readonly keys = Array.from({ length: TASKS }, (_, index) => keyOf(index));
  /** Keys that nobody is submitting and that are not known to be held. */
  private readonly open = new Set(this.keys);
  private readonly inDoubt = new Set<string>();
  private readonly heard: Array<{ key: string; status: string }> = [];
  private readonly counts = new Map<string, number>();
  private submitted = 0;
  private fighting = true;
  private lockMs = LOCK_MS;

  constructor(
    private readonly gateway: SoakGateway,
    private readonly random: () => number,
    private readonly start: (lockMs: number) => ReturnType<typeof startChild>,
  ) {
    this.calls = new HandlerCalls(random);
    gateway.onCreate(() => this.countOpen());
  }

  /** Submits everything amid troubles. */
  async run(broker: Broker): Promise<void> {
    await Promise.all(Array.from({ length: REPLICAS }, () => this.boot()));
    const submitting = this.submitAll();
    while (this.submitted < TASKS) {
      await this.makeTrouble(broker);
      await pause(100 + this.random() * 400);
    }
    this.gateway.emulator.faults.clear();
    this.gateway.calmDown();
    this.fighting = false;
    await submitting;
  }

  async readAnswers(): Promise<AnswerReading[]> {
    const readings: AnswerReading[] = [];
    let next = 0;
    const pick = () => {
      const ready = this.replicas.filter((replica) => replica.ready);
      return ready[Math.floor(this.random() * ready.length)]?.url;
    };
    const readOn = async () => {
      while (next < ANSWERS)
        readings.push(await readAnswer(`answer-${next++}`, { pick, random: this.random }));
    };
    await Promise.all(Array.from({ length: READING_AT_ONCE }, readOn));
    return readings;
  }

  /** What an operator does when it is over: looks up submissions of unknown outcome, and has the others made again. */
  async settle(): Promise<void> {
    for (;;) {
      const records = await this.operate();
      const byKey = new Map(records.map((record) => [record.key, record]));
      for (const [index, key] of this.keys.entries()) {
        const record = byKey.get(key);
        if (record === undefined || record.status === "rejected") this.open.add(key);
        else if (wasRefused(record)) {
          this.count("refused for good");
          const again = keyOf(index + (attemptOf(key) + 1) * RETRY_SEED);
          this.keys[index] = again;
          this.open.add(again);
        }
      }
      await this.submitAll();
      const isOver = ({ status, deliveries }: SoakRecord) =>
        (status === "succeeded" || status === "failed") &&
        deliveries.every(({ state }) => state === "delivered");
      if (this.keys.every((key) => byKey.has(key)) && records.every(isOver)) return;
      await pause(200);
    }
  }

  /**
   * Begins anew with one replica that knows nothing of what was, and orders some films more.
   * @returns the handlers that it called
   */
  async afterwards(): Promise<ReturnType<HandlerCalls["since"]>> {
    for (const replica of [...this.replicas]) {
      replica.send({ order: "close" });
      await replica.over;
    }
    const before = this.calls.count;
    this.lockMs = CALM_LOCK_MS;
    await this.boot();
    for (let count = 0; count < LAST_FILMS; count++) {
      const key = keyOf(this.keys.length);
      this.keys.push(key);
      this.open.add(key);
    }
    await this.settle();
    return this.calls.since(before);
  }

  async records(): Promise<SoakRecord[]> {
    for (;;) {
      const replica = await this.pick();
      const answer = await replica.ask({ order: "list" }, "records");
      if (answer?.records !== undefined) return answer.records;
      await pause(100);
    }
  }

  async troubles(): Promise<string[] | undefined> {
    const replica = await this.pick();
    return (await replica.ask({ order: "troubles" }, "troubles"))?.troubles;
  }

  /** What watchers and handlers heard that was not so: `unknown` is an honest word about what nobody could know. */
  lies(truth: Map<string, PaidTask[]>, records: SoakRecord[]): unknown[] {
    const refused = new Set(records.filter(wasRefused).map(({ key }) => key));
    const told = this.calls.since(0).filter(({ status }) => status !== "unknown");
    return [...this.heard, ...told].filter(({ key, status }) => {
      if (status === "unknown") return !waitsInLine(key) && !this.inDoubt.has(key);
      if (refused.has(key)) return status !== "failed" && status !== "rejected";
      return status !== "rejected" && status !== truth.get(key)?.[0]?.status;
    });
  }

  summary(answers: AnswerReading[]): string {
    const { count, repeated } = this.calls;
    const returns = answers.reduce((sum, reading) => sum + reading.returns, 0);
    const early = answers.reduce((sum, { endedEarly }) => sum + endedEarly.length, 0);
    return [
      ...[...this.counts].map(([what, times]) => `${times} ${what}`),
      `${this.gateway.badlySent()} films badly sent`,
      `${count} calls of handlers, ${repeated} of them after one that had returned`,
      `${this.mostOpen.get(ALL)} of ${LIMITS.maxOpen} open at most`,
      `${answers.length} answers read with ${returns} returns, ${early} cut before`,
    ].join(", ");
  }

  /** Brings submissions of unknown outcome into line with what was paid for. */
  private async operate(): Promise<SoakRecord[]> {
    const records = await this.records();
    const unknown = records.filter(({ status, taskId }) => status === "unknown" && taskId === undefined);
    for (const { key, waits } of unknown) {
      const [task] = paidTasks(this.gateway.emulator, keyOf).get(key) ?? [];
      const finding = task === undefined ? { notPaid: true as const } : { taskId: task.id };
      const replica = await this.pick();
      const answer = await replica.ask({ order: "reconcile", key, finding, waits }, "reconciled");
      this.count(answer?.error === undefined ? "reconciled" : "not reconciled");
      if (task === undefined) this.open.add(key);
    }
    return records;
  }

  private countOpen(): void {
    const open = [...paidTasks(this.gateway.emulator, keyOf)]
      .filter(([key, tasks]) => waitsInLine(key) && tasks.some(isOpen))
      .map(([key]) => tenantOf(key));
    this.noteOpen(ALL, open.length);
    for (const tenant of TENANTS) this.noteOpen(tenant, open.filter((other) => other === tenant).length);
  }

  private noteOpen(of: string | undefined, count: number): void {
    this.mostOpen.set(of, Math.max(this.mostOpen.get(of) ?? 0, count));
  }

  private async boot(): Promise<void> {
    const replica = new Replica(this.start(this.lockMs), (message, from) => this.hear(message, from));
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

  private hear(message: SoakMessage, replica: Replica): void {
    if (message.told === "heard") this.heard.push(message);
    if (message.told === "called") {
      const { call, key, status, id } = message;
      const end = this.calls.begin({ key, status, id }, !this.fighting);
      replica.send({ order: "end-handler", call, end });
      this.count(`handlers that ${END_WORDS[end]}`);
      if (end === "die") void replica.over.then(() => this.boot());
    }
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
        const tenant = tenantOf(key);
        const submission = submissionOf(indexOf(key), seedOf(key));
        const label = { waits: waitsInLine(key), ...(tenant !== undefined && { tenant }) };
        replica.send({ order: "submit", key, submission, ...label });
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
      (await this.pick()).kill();
      await this.boot();
    } else if (dice < 0.35) {
      this.count("stopped");
      const leaving = await this.pick();
      leaving.send({ order: "close" });
      await leaving.over;
      await this.boot();
    } else if (dice < 0.5) {
      this.count("interruptions of the broker");
      await broker.interrupt(this.random);
    } else if (dice < 0.6) {
      await this.operate();
    } else {
      this.count("faults of the gateway");
      const choose = <T>(from: T[]) => from[Math.floor(this.random() * from.length)] as T;
      const { faults } = this.gateway.emulator;
      const id = faults.add({ ...choose(FAULTS), path: choose(FAULTY_PATHS) });
      await pause(this.random() * 1_500);
      faults.clear(id);
    }
  }

  private async pick(): Promise<Replica> {
    for (;;) {
      const ready = this.replicas.filter((replica) => replica.ready);
      const replica = ready[Math.floor(this.random() * ready.length)];
      if (replica !== undefined) return replica;
      await pause(20);
    }
  }

  private count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
}

const END_WORDS: Record<HandlerEnd, string> = { return: "returned", throw: "threw", die: "died" };
