import { randomUUID } from "node:crypto";
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

const MAX_ATTEMPTS = 3;
const ACKNOWLEDGE_WITHIN_MS = 5_000;
const RETRY_AFTER_MS = 1_000;

/** Posts callbacks, three tries each, and keeps a log of them. */
export class CallbackLog {
  private deliveries: CallbackDelivery[] = [];
  private readonly clock: VirtualClock;
  private readonly closing: AbortSignal;

  constructor(clock: VirtualClock, closing: AbortSignal) {
    this.clock = clock;
    this.closing = closing;
  }

  /** Makes the first try and schedules the others on the clock, should it fail. */
  async send(taskId: string, url: string, body: unknown): Promise<void> {
    const delivery: CallbackDelivery = {
      id: randomUUID(),
      taskId,
      url,
      body,
      attempts: [],
      delivered: false,
    };
    this.deliveries.push(delivery);
    await this.attempt(delivery);
    this.scheduleRetry(delivery);
  }

  list({ taskId, delivered }: CallbackFilter = {}): CallbackDelivery[] {
    return this.deliveries
      .filter((delivery) => taskId === undefined || delivery.taskId === taskId)
      .filter((delivery) => delivered === undefined || delivery.delivered === delivered)
      .map((delivery) => structuredClone(delivery));
  }

  /** Posts a logged callback once more, delivered or not. @throws TypeError when there is no such entry */
  async resend(id: string): Promise<CallbackDelivery> {
    const delivery = this.deliveries.find((candidate) => candidate.id === id);
    if (!delivery) throw Refusal.missing(`There is no callback "${id}".`);
    await this.attempt(delivery);
    return structuredClone(delivery);
  }

  reset(): void {
    this.deliveries = [];
  }

  private scheduleRetry(delivery: CallbackDelivery): void {
    if (delivery.delivered || delivery.attempts.length >= MAX_ATTEMPTS) return;
    this.clock.schedule(this.clock.now() + RETRY_AFTER_MS * delivery.attempts.length, async () => {
      if (delivery.delivered) return;
      await this.attempt(delivery);
      this.scheduleRetry(delivery);
    });
  }

  private async attempt(delivery: CallbackDelivery): Promise<void> {
    const attempt: CallbackAttempt = { time: this.clock.now(), status: null };
    delivery.attempts.push(attempt);
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
  }
}
