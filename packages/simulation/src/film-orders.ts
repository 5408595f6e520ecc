import type { VideoCreateRequest } from "@model-gateway/core";
import type { World } from "@model-gateway/emulator/simulation";
import {
  VideoConflictError,
  VideoKeyTakenError,
  VideoNotKeptError,
  type VideosService,
  type VideoTaskRecord,
} from "@model-gateway/nestjs";

/** An operator looks after so many looks that show the same trouble. */
const PATIENCE = 12;

/** Nothing that was asked for at the gateway takes longer. */
const SURELY_OVER_MS = 60_000;

interface FollowOptions {
  hopes?: number;
  later?: boolean;
  reconciles?: boolean;
}

/** What is wrong with how an order ended; undefined when nothing is. */
type Complaint = (
  record: VideoTaskRecord | undefined,
  key: string,
) => string | undefined | Promise<string | undefined>;

/** Films that an application is to order once each, and an operator who looks what came of them. */
export class FilmOrders {
  /** How often the operator looks, in milliseconds. */
  static readonly LOOK_MS = 5_000;

  readonly keys: readonly string[];
  readonly #world: World;
  /** Ids of tasks that were paid for and could not be written down, by key: the operator was told. */
  readonly #notKept = new Map<string, string>();

  constructor(world: World, most: number) {
    this.#world = world;
    this.keys = Array.from({ length: world.count("orders", 1, most) }, (_, index) => `film-${index}`);
  }

  /**
   * Has a process order them, as often as something is open that only a restart helps.
   *
   * @param run resolves with what is known of the orders in the end
   */
  async fill(
    run: () => Promise<readonly VideoTaskRecord[]>,
    name = "app",
  ): Promise<readonly VideoTaskRecord[]> {
    let records: readonly VideoTaskRecord[] = [];
    const service = this.#world.service(name, async () => {
      do records = await run();
      while (records.some(isOpen));
    });
    await service.ended;
    return records;
  }

  /**
   * @param complaint of what only this application promises
   * @throws Error for an order that did not end as it must
   */
  async judge(records: readonly VideoTaskRecord[], complaint: Complaint): Promise<void> {
    for (const key of this.keys) {
      const record = records.find((candidate) => candidate.key === key);
      this.#world.trace.add("operator", `${key}: ${record?.status ?? "none"}`);
      const problem =
        complaintOfPayment(record, this.#chargesOf(key).length) ?? (await complaint(record, key));
      if (problem !== undefined) throw new Error(`${key} ${problem}`);
    }
  }

  /**
   * Orders what was not ordered, and waits until nothing is open, or until only a restart helps.
   *
   * @param options `hopes`: looks for which somebody may still learn of a submission whose answer got lost; `later`: set
   * where a submission is taken down, and paid for when it has its turn; `reconciles`: whether the operator finds out what
   * came of submissions whose answer got lost; he looks ever more rarely then
   */
  async follow(
    videos: VideosService,
    { hopes = 0, later = false, reconciles = false }: FollowOptions = {},
  ): Promise<readonly VideoTaskRecord[]> {
    for (const key of this.keys) {
      if ((await videos.get(key)) !== undefined) continue;
      const body = { model: "local-video-2.0", content: [{ type: "text" as const, text: key }], duration: 5 };
      const submit = () => videos.submit(body, { key, ...(later && { tenant: key }) });
      await (later ? submit() : this.#world.intend(key, submit)).catch((error) => {
        if (error instanceof VideoNotKeptError) this.#notKept.set(key, error.handle.id);
        if (!(error instanceof VideoKeyTakenError)) this.#world.trace.add("app", `${key}: ${error.name}`);
      });
    }
    let records = await videos.list();
    const isAwaited = (looks: number) => (record: VideoTaskRecord) =>
      isOpen(record) || (record.status === "unknown" && (reconciles || looks <= hopes));
    for (let looks = 1, troubled = 0; troubled < PATIENCE && records.some(isAwaited(looks)); looks++) {
      await this.#world.sleep(FilmOrders.LOOK_MS * (reconciles ? looks : 1));
      for (const { key } of records) await this.#hand(videos, key);
      if (reconciles) for (const record of records) await this.#reconcile(videos, record);
      else troubled = (await videos.troubles()).length > 0 ? troubled + 1 : 0;
      records = await videos.list();
    }
    return records;
  }

  /** Tells the id that could not be written down, until it is. */
  async #hand(videos: VideosService, key: string): Promise<void> {
    const taskId = this.#notKept.get(key);
    if (taskId === undefined) return;
    await videos.reconcile(key, { taskId }).then(
      () => this.#notKept.delete(key),
      (error: Error) => {
        this.#world.trace.add("operator", `${key}: ${error.name}`);
        if (error instanceof VideoConflictError) this.#notKept.delete(key);
      },
    );
  }

  /** Tells what the usage records say, when it is sure that nobody asks for it any more. */
  async #reconcile(videos: VideosService, { key, status, updatedAt }: VideoTaskRecord): Promise<void> {
    if (status !== "unknown" || Date.now() - updatedAt < SURELY_OVER_MS) return;
    const taskId = this.#chargesOf(key)[0]?.taskId;
    await videos.reconcile(key, taskId === undefined ? { notPaid: true } : { taskId }).then(
      () =>
        this.#world.trace.add("operator", `${key}: ${taskId === undefined ? "was not paid" : "is found"}`),
      (error: Error) => this.#world.trace.add("operator", `${key}: ${error.name}`),
    );
  }

  /** By what the gateway was asked for, since nobody waits for what is paid later. */
  #chargesOf(key: string): { taskId?: string }[] {
    const { journal, ledger } = this.#world.emulator;
    const asked = new Set(
      journal.list({ path: "/videos" }).flatMap(({ id, body }) => (textOf(body) === key ? [id] : [])),
    );
    return ledger.list({ kind: "charge" }).filter(({ requestId }) => asked.has(requestId));
  }
}

function textOf(body: unknown): string | undefined {
  return (body as Partial<VideoCreateRequest> | undefined)?.content?.find((part) => part.type === "text")
    ?.text;
}

function isOpen({ status, deliveries = [] }: VideoTaskRecord): boolean {
  const isTold = deliveries.every(({ state }) => state !== "due");
  return status === "submitting" || status === "queued" || status === "running" || !isTold;
}

function complaintOfPayment(record: VideoTaskRecord | undefined, charged: number): string | undefined {
  if (charged > 1) return `was paid ${charged} times`;
  if (record === undefined)
    return charged > 0 ? "was paid, and the application knows nothing of it" : undefined;
  if (record.status === "rejected") return charged > 0 ? "was paid, and counts as rejected" : undefined;
  if (record.status === "succeeded" && charged === 0) return "succeeded, and was never paid";
  return undefined;
}
