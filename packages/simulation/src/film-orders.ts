import type { World } from "@model-gateway/emulator/simulation";
import { VideoKeyTakenError, type VideosService, type VideoTaskRecord } from "@model-gateway/nestjs";

/** An operator looks after so many looks that show the same trouble. */
const PATIENCE = 12;

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

  constructor(world: World, most: number) {
    this.#world = world;
    this.keys = Array.from({ length: world.count("orders", 1, most) }, (_, index) => `film-${index}`);
  }

  /**
   * Has one process order them, as often as something is open that only a restart helps.
   *
   * @param run resolves with what is known of the orders in the end
   * @param complaint of what only this application promises
   * @throws Error for an order that did not end as it must
   */
  async fill(run: () => Promise<readonly VideoTaskRecord[]>, complaint: Complaint): Promise<void> {
    let records: readonly VideoTaskRecord[] = [];
    const service = this.#world.service("app", async () => {
      do records = await run();
      while (records.some(isOpen));
    });
    await service.ended;
    await this.judge(records, complaint);
  }

  /** @throws Error for an order that did not end as it must */
  async judge(records: readonly VideoTaskRecord[], complaint: Complaint): Promise<void> {
    for (const key of this.keys) {
      const record = records.find((candidate) => candidate.key === key);
      this.#world.trace.add("operator", `${key}: ${record?.status ?? "none"}`);
      const { charged } = this.#world.purchases.of(key);
      const problem = complaintOfPayment(record, charged) ?? (await complaint(record, key));
      if (problem !== undefined) throw new Error(`${key} ${problem}`);
    }
  }

  /**
   * Orders what was not ordered, and waits until nothing is open, or until only a restart helps.
   *
   * @param hopes looks for which somebody may still learn of a submission whose answer got lost
   */
  async follow(videos: VideosService, hopes = 0): Promise<readonly VideoTaskRecord[]> {
    for (const key of this.keys) {
      if ((await videos.get(key)) !== undefined) continue;
      const body = { model: "local-video-2.0", content: [{ type: "text" as const, text: key }], duration: 5 };
      await this.#world
        .intend(key, () => videos.submit(body, { key }))
        .catch((error) => {
          if (!(error instanceof VideoKeyTakenError)) this.#world.trace.add("app", `${key}: ${error.name}`);
        });
    }
    let records = await videos.list();
    const isAwaited = (looks: number) => (record: VideoTaskRecord) =>
      isOpen(record) || (record.status === "unknown" && looks < hopes);
    for (let looks = 0, troubled = 0; troubled < PATIENCE && records.some(isAwaited(looks)); looks++) {
      await this.#world.sleep(FilmOrders.LOOK_MS);
      troubled = (await videos.troubles()).length > 0 ? troubled + 1 : 0;
      records = await videos.list();
    }
    return records;
  }
}

function isOpen({ status, deliveries = [] }: VideoTaskRecord): boolean {
  const isTold = deliveries.every(({ state }) => state !== "due");
  return status === "submitting" || status === "queued" || status === "running" || !isTold;
}

function complaintOfPayment(record: VideoTaskRecord | undefined, charged: number): string | undefined {
  if (record === undefined)
    return charged > 0 ? "was paid, and the application knows nothing of it" : undefined;
  if (record.status === "rejected") return charged > 0 ? "was paid, and counts as rejected" : undefined;
  if (record.status === "succeeded" && charged === 0) return "succeeded, and was never paid";
  return undefined;
}
