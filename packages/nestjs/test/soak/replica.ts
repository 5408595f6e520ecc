import type { Child } from "../child.js";
import type { SoakMessage, SoakOrder } from "../children/soak-replica.js";

type Told<T extends SoakMessage["told"]> = Extract<SoakMessage, { told: T }>;

/** A process of the application, for the soak to order about and to end. */
export class Replica {
  /** Keys whose submission it has not answered yet. */
  readonly submitting = new Set<string>();
  /** Resolves when it is up, or has ended before. */
  readonly up: Promise<void>;
  /** Resolves when it has ended and all that it told was heard. */
  readonly over: Promise<void>;
  ready = false;
  /** Where it listens, once it is ready. */
  url: string | undefined;
  ended = false;
  private readonly waiting = new Map<string, (message: SoakMessage | undefined) => void>();

  constructor(
    private readonly child: Child,
    hear: (message: SoakMessage, replica: Replica) => void,
  ) {
    let isUp = () => {};
    this.up = new Promise((resolve) => {
      isUp = resolve;
    });
    this.over = this.listen(hear, isUp);
  }

  send(order: SoakOrder): void {
    if (order.order === "submit") this.submitting.add(order.key);
    // One that has just ended is found out by its end.
    if (this.child.process.connected) this.child.process.send(order, () => undefined);
  }

  /** @returns undefined when it ended instead */
  async ask<T extends SoakMessage["told"]>(order: SoakOrder, told: T): Promise<Told<T> | undefined> {
    if (this.ended) return undefined;
    const answer = new Promise<SoakMessage | undefined>((resolve) => this.waiting.set(told, resolve));
    this.send(order);
    return (await answer) as Told<T> | undefined;
  }

  kill(): void {
    this.child.process.kill("SIGKILL");
  }

  private async listen(
    hear: (message: SoakMessage, replica: Replica) => void,
    isUp: () => void,
  ): Promise<void> {
    for (let next = await this.child.next(); next !== undefined; next = await this.child.next()) {
      const message = next as SoakMessage;
      if (message.told === "ready") {
        this.ready = true;
        this.url = message.url;
        isUp();
      }
      if (message.told === "held" || message.told === "failed") this.submitting.delete(message.key);
      this.waiting.get(message.told)?.(message);
      this.waiting.delete(message.told);
      hear(message, this);
    }
    this.ended = true;
    this.ready = false;
    isUp();
    for (const resolve of this.waiting.values()) resolve(undefined);
  }
}
