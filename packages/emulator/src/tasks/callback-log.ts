import { randomUUID } from "node:crypto";
import type { Field } from "../checks/field.js";
import { collectMembers, type Readers } from "../checks/read-members.js";
import type { ChangeLog, PartChanges } from "../persistence/change-log.js";
import type { KeptEntry } from "../persistence/kept-entry.js";
import type { KeptStore } from "../persistence/kept-store.js";
import { loadPart } from "../persistence/load-part.js";
import { Refusal } from "../state/refusal.js";
import type { VirtualClock } from "../state/virtual-clock.js";

/** One try to deliver a callback. */
export interface CallbackAttempt {
  /** Milliseconds since the epoch on the emulator's clock. */
  time: number;
  /** Status of the receiver, or null when it gave none. */
  status: number | null;
  /** Why it gave none. */
  error?: string;
}

/** A notification of one change of a task's status. */
export interface CallbackDelivery {
  id: string;
  taskId: string;
  url: string;
  /** The body as posted: what `GET` answered at the time of the change. */
  body: unknown;
  attempts: CallbackAttempt[];
  /** Whether the receiver answered a try with a 2xx status. */
  delivered: boolean;
}

/** Every given member must hold. */
export interface CallbackFilter extends Partial<Pick<CallbackDelivery, "taskId" | "delivered">> {}

/** A callback with what is still to come of it. */
interface KeptDelivery extends CallbackDelivery {
  /** When it is tried again; also while a try is under way, in case the process ends before that is over. */
  retryAt?: number;
}

const PART = "callbacks";
const DELIVERY: Readers<KeptDelivery> = {
  id: (field) => field.nonEmptyString(),
  taskId: (field) => field.string(),
  url: (field) => field.string(),
  body: (field) => field.value,
  attempts: (field) => field.items()?.flatMap((item) => readAttempt(item) ?? []),
  delivered: (field) => field.boolean(),
  retryAt: (field) => field.number(),
};

const MAX_ATTEMPTS = 3;
const ACKNOWLEDGE_WITHIN_MS = 5_000;
const RETRY_AFTER_MS = 1_000;

/** Posts callbacks, three tries each, and keeps a log of them. */
export class CallbackLog implements KeptStore {
  private readonly deliveries = new Map<string, KeptDelivery>();
  private readonly clock: VirtualClock;
  private readonly closing: AbortSignal;
  private readonly changes: PartChanges | undefined;

  constructor(clock: VirtualClock, closing: AbortSignal, changes?: ChangeLog) {
    this.clock = clock;
    this.closing = closing;
    this.changes = changes?.of(PART);
  }

  /** Makes the first try and schedules the others on the clock, should it fail. */
  async send(taskId: string, url: string, body: unknown): Promise<void> {
    const delivery: KeptDelivery = {
      id: randomUUID(),
      taskId,
      url,
      body,
      attempts: [],
      delivered: false,
    };
    this.deliveries.set(delivery.id, delivery);
    await this.attempt(delivery);
    this.scheduleRetry(delivery);
  }

  list({ taskId, delivered }: CallbackFilter = {}): CallbackDelivery[] {
    return [...this.deliveries.values()]
      .filter((delivery) => taskId === undefined || delivery.taskId === taskId)
      .filter((delivery) => delivered === undefined || delivery.delivered === delivered)
      .map(shown);
  }

  /** Posts a logged callback once more, delivered or not. @throws TypeError when there is no such entry */
  async resend(id: string): Promise<CallbackDelivery> {
    const delivery = this.deliveries.get(id);
    if (!delivery) throw Refusal.missing(`There is no callback "${id}".`);
    await this.attempt(delivery);
    return shown(delivery);
  }

  *save(): Iterable<KeptEntry> {
    for (const [key, value] of this.deliveries) yield { part: PART, key, value };
  }

  load(state: Field): void {
    const vital = ["id", "taskId", "url", "body", "attempts", "delivered"] as const;
    const read = (field: Field) => collectMembers(field, DELIVERY, { vital, complete: true }) as KeptDelivery;
    loadPart(state, PART, read, (delivery) => {
      this.deliveries.set(delivery.id, delivery);
      this.retryWhenDue(delivery);
    });
  }

  private scheduleRetry(delivery: KeptDelivery): void {
    this.plan(delivery);
    this.retryWhenDue(delivery);
  }

  private plan(delivery: KeptDelivery): void {
    const { attempts, delivered } = delivery;
    if (delivered || attempts.length >= MAX_ATTEMPTS) delete delivery.retryAt;
    else delivery.retryAt = this.clock.now() + RETRY_AFTER_MS * attempts.length;
    this.changes?.set(delivery.id, () => delivery);
  }

  private retryWhenDue(delivery: KeptDelivery): void {
    if (delivery.retryAt === undefined) return;
    this.clock.schedule(delivery.retryAt, async () => {
      if (delivery.delivered) return;
      await this.attempt(delivery);
      this.scheduleRetry(delivery);
    });
  }

  private async attempt(delivery: KeptDelivery): Promise<void> {
    const attempt: CallbackAttempt = { time: this.clock.now(), status: null };
    delivery.attempts.push(attempt);
    this.plan(delivery);
    try {
      const response = await fetch(delivery.url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(delivery.body),
        redirect: "manual",
        signal: AbortSignal.any([AbortSignal.timeout(ACKNOWLEDGE_WITHIN_MS), this.closing]),
      });
      attempt.status = response.status;
      if (response.ok) delivery.delivered = true;
      await response.body?.cancel();
    } catch (error) {
      attempt.error = error instanceof Error ? error.message : String(error);
    }
    this.plan(delivery);
  }
}

function shown({ retryAt: _, ...delivery }: KeptDelivery): CallbackDelivery {
  return structuredClone(delivery);
}

function readAttempt(field: Field): CallbackAttempt | undefined {
  const time = field.get("time").number();
  const status = field.get("status").value === null ? null : field.get("status").integer();
  const error = field.get("error").optional((member) => member.string());
  if (time === undefined || status === undefined) return undefined;
  return { time, status, ...(error !== undefined && { error }) };
}
