import { createHash } from "node:crypto";
import { Redis, type RedisOptions } from "ioredis";
import { type StreamChange, StreamChanges } from "../resumable/stream-changes.js";
import type { StreamEnd } from "../resumable/stream-end.js";
import { type StreamLease, type StreamPage, StreamStore } from "../resumable/stream-store.js";
import { StreamStoreFullError } from "../resumable/stream-store-full-error.js";
import { connect } from "./connect.js";
import { runScript } from "./run-script.js";
import { APPEND, BEGIN, FINISH, READ, RENEW } from "./stream-scripts.js";

/** Settings of a `RedisStreamStore`. */
export interface RedisStreamStoreOptions {
  /** URL, options of ioredis, or a client of your own, which is left open. A second connection is made beside it. */
  connection: string | RedisOptions | Redis;
  /** Before the names of all keys and channels. Default `model-gateway`. */
  prefix?: string;
}

/** Of a running stream whose owner is gone, and which nobody reads: what is read is ended after the lease. */
const FORGOTTEN_AFTER_MS = 24 * 3_600_000;
const EVENTS_PER_PAGE = 1_000;

/**
 * Keeps streams with a key in Redis (6 or later), as Redis streams: every replica reads and stops every stream. Where memory
 * is full (`maxmemory-policy noeviction`), streams end and say so; where Redis throws keys away, readers are told that events
 * are lost.
 */
export class RedisStreamStore extends StreamStore {
  readonly shared = true;
  private readonly changes = new StreamChanges((key, watched) => this.follow(key, watched));
  private readonly prefix: string;
  private client: Redis | undefined;
  private subscriber: Redis | undefined;
  private readonly keyOfChannel = new Map<string, string>();

  constructor(private readonly options: RedisStreamStoreOptions) {
    super();
    this.prefix = options.prefix ?? "model-gateway";
  }

  async open(): Promise<void> {
    const { connection } = this.options;
    const client = connection instanceof Redis ? connection : connect(connection);
    const subscriber = client.duplicate({
      ...{ lazyConnect: true, enableOfflineQueue: true, maxRetriesPerRequest: null },
      autoResubscribe: true,
    });
    // Each command tells what becomes of it.
    client.on("error", ignore);
    subscriber.on("error", ignore);
    subscriber.on("message", (channel, message) => {
      const key = this.keyOfChannel.get(channel);
      if (key !== undefined) this.changes.tell(key, { ended: message === "end" });
    });
    this.client = client;
    this.subscriber = subscriber;
    try {
      if (client !== connection) await client.connect();
      await subscriber.connect();
    } catch (error) {
      this.disconnect();
      throw error;
    }
    for (const channel of this.keyOfChannel.keys()) this.subscribe(channel);
  }

  async close(): Promise<void> {
    this.disconnect();
  }

  async begin(key: string, run: string, leaseMs: number, replaces = ""): Promise<boolean> {
    return (await this.ask(BEGIN, key, run, leaseMs, FORGOTTEN_AFTER_MS, replaces)) === 1;
  }

  async append(key: string, run: string, number: number, event: string): Promise<boolean> {
    return (await this.ask(APPEND, key, run, number, event, this.channelOf(key), FORGOTTEN_AFTER_MS)) === 1;
  }

  async renew(key: string, run: string, leaseMs: number): Promise<StreamLease> {
    const [held, unreadMs] = (await this.ask(RENEW, key, run, leaseMs, FORGOTTEN_AFTER_MS)) as [
      number,
      number,
    ];
    return { held: held === 1, unreadMs };
  }

  async finish(key: string, run: string | undefined, end: StreamEnd, keepMs: number): Promise<boolean> {
    const values = [run ?? "", end.outcome, JSON.stringify(end), Math.ceil(keepMs), this.channelOf(key)];
    return (await this.ask(FINISH, key, ...values)) === 1;
  }

  async read(key: string, after: number, keepMs: number): Promise<StreamPage | undefined> {
    const found = await this.ask(READ, key, after, Math.ceil(keepMs), this.channelOf(key), EVENTS_PER_PAGE);
    if (found === null) return undefined;
    const [run, count, end, events] = found as [string, number, string, string[]];
    return { run, events, count, ...(end !== "" && { end: JSON.parse(end) as StreamEnd }) };
  }

  watch(key: string, changed: (change: StreamChange) => void): () => void {
    return this.changes.watch(key, changed);
  }

  private async ask(script: string, key: string, ...values: Array<string | number>): Promise<unknown> {
    if (this.client === undefined) throw new Error("The store of streams is not open.");
    // Both in one slot of a cluster.
    const name = `${this.prefix}:{${digestOf(key)}}`;
    try {
      return await runScript(this.client, script, [`${name}:stream`, `${name}:events`], values);
    } catch (error) {
      if (!(error instanceof Error && /^(OOM|ERR .*OOM)/.test(error.message))) throw error;
      throw new StreamStoreFullError("Redis has no memory left for streams (maxmemory).", { cause: error });
    }
  }

  private channelOf(key: string): string {
    return `${this.prefix}:changes:${digestOf(key)}`;
  }

  private follow(key: string, watched: boolean): void {
    const channel = this.channelOf(key);
    if (watched) {
      this.keyOfChannel.set(channel, key);
      this.subscribe(channel);
    } else {
      this.keyOfChannel.delete(channel);
      this.subscriber?.unsubscribe(channel).catch(ignore);
    }
  }

  private subscribe(channel: string): void {
    this.subscriber?.subscribe(channel).then(() => {
      const key = this.keyOfChannel.get(channel);
      // What was told before we listened.
      if (key !== undefined) this.changes.tell(key, { ended: true });
    }, ignore);
  }

  private disconnect(): void {
    this.subscriber?.disconnect();
    this.client?.off("error", ignore);
    if (this.client !== this.options.connection) this.client?.on("error", ignore).disconnect();
    this.client = undefined;
    this.subscriber = undefined;
  }
}

/** Keys may be secrets, and of any length. */
function digestOf(key: string): string {
  return createHash("sha256").update(key).digest("base64url");
}

function ignore(): void {}
