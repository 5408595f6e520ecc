import { type ImageStream, ModelGateway } from "@model-gateway/core";
import { KeyedStreamError, type StreamPage, type StreamSource } from "@model-gateway/core/resumable";
import type { World } from "@model-gateway/emulator/simulation";
import { StreamServer } from "../stores/stream-server.js";
import { type Asked, LineBrokenError, STREAM_SETTINGS, StreamReplica } from "../stream-replica.js";

const REPLICAS = 2;
const KEY = "conversation";
const QUESTION = "Which animals live in the forest, and what do they eat?";
/** Reasons for which a reader comes back; the others are how the stream ended. */
const PASSING = new Set(["closing", "unavailable"]);
const MAX_VISITS = 40;

/**
 * A stream with a key over two replicas that share a store: readers are cut, come back to the other replica, and stop it;
 * its owner dies. It is paid for once; each reader gets each event once, in order, and the same as the others.
 */
export async function resumableStreams(world: World): Promise<void> {
  const server = new StreamServer();
  const closeStore = await server.open(world);
  const replicas: (StreamReplica | undefined)[] = [];
  const isOver = new AbortController();
  const over = new Promise<void>((resolve) => isOver.signal.addEventListener("abort", () => resolve()));
  const services = Array.from({ length: REPLICAS }, (_, index) =>
    world.service(`replica-${index}`, async ({ signal }) => {
      const replica = new StreamReplica(world, server, signal);
      replicas[index] = replica;
      await over;
      await replica.close();
    }),
  );
  const call: Call = {};
  const readers = Array.from(
    { length: world.count("readers", 1, 3) },
    (_, index) => new Reader(world, index, call),
  );
  const stopping = world.chance("somebody stops it", 0.25)
    ? world.sleep(world.random("stop")() * 6_000).then(() => stop(world, replicas, call))
    : undefined;
  await Promise.all(readers.map((reader) => reader.read(replicas)));
  await stopping;
  isOver.abort();
  await Promise.all(services.map(({ ended }) => ended));
  const kept = await server.look(KEY);
  for (const reader of readers) reader.judge(kept);
  if (call.isLate) throw new Error("a call was made for a stream that was stopped long before");
  await closeStore();
}

/** What is known of the paid call. */
interface Call {
  stoppedAt?: number;
  isLate?: boolean;
}

async function stop(
  world: World,
  replicas: readonly (StreamReplica | undefined)[],
  call: Call,
): Promise<void> {
  const told = await replicas[0]?.stop(KEY).then(
    (wasRunning) => {
      if (wasRunning) call.stoppedAt = Date.now();
      return wasRunning ? "is stopped" : "does not run";
    },
    (error: Error) => error.name,
  );
  world.trace.add("visitor", `stop: ${told}`);
}

/** Somebody who reads a stream to its end, however often the line breaks. */
class Reader {
  readonly #world: World;
  readonly #name: string;
  readonly #events: string[] = [];
  readonly #call: Call;
  #run: string | undefined;
  #from: string | undefined;
  #end: string | undefined;

  constructor(world: World, index: number, call: Call) {
    this.#world = world;
    this.#call = call;
    this.#name = `reader ${index}`;
  }

  async read(replicas: readonly (StreamReplica | undefined)[]): Promise<void> {
    const random = this.#world.random(this.#name);
    await this.#world.sleep(random() * 3_000);
    for (let visit = 1; this.#end === undefined; visit++) {
      if (visit > MAX_VISITS) throw new Error(`${this.#name} comes to no end`);
      const replica = replicas[Math.floor(random() * REPLICAS)];
      const leavesAfter = random() < 0.5 ? Math.floor(random() * 6) : Number.POSITIVE_INFINITY;
      this.#end = await this.#visit(replica, leavesAfter).catch((error: unknown) => this.#endOf(error));
      if (this.#end === undefined) await this.#world.sleep(200 + random() * 2_000);
    }
    this.#world.trace.add(this.#name, `${this.#events.length} events, ${this.#end}`);
  }

  /** @throws Error when what it got, or how it ended, is not what is kept */
  judge(kept: StreamPage | undefined): void {
    // What was refused is gone, and may have made way for another one.
    if (this.#end === "refused" && this.#events.length === 0) return;
    const { run, events = [], end } = kept ?? {};
    // What core throws has a name of its own.
    if (end?.problem?.name === "Error") throw new Error(`the call failed by itself: ${end.problem.message}`);
    if (run !== this.#run && this.#events.length > 0)
      throw new Error(`${this.#name} read another stream than the one that is kept`);
    if (JSON.stringify(this.#events) !== JSON.stringify(events))
      throw new Error(`${this.#name} has ${this.#events.length} of ${events.length} events, or others`);
    if (this.#end !== end?.outcome)
      throw new Error(`${this.#name} is told ${this.#end} of a stream that is ${end?.outcome}`);
  }

  async #visit(replica: StreamReplica | undefined, leavesAfter: number): Promise<string | undefined> {
    if (replica === undefined) throw new LineBrokenError("There is no replica.");
    const asked: Asked = { key: KEY, from: this.#from };
    if (this.#from === undefined) asked.source = sourceOf(this.#world, this.#call);
    let left = leavesAfter;
    const isWhole = await replica.read(asked, ({ id, json }) => {
      const [run, number] = positionOf(id);
      this.#run ??= run;
      if (run !== this.#run) throw new Error(`${this.#name} is given events of two streams`);
      if (number !== this.#events.length + 1)
        throw new Error(`${this.#name} is given event ${number} after ${this.#events.length}`);
      this.#events.push(json);
      this.#from = id;
      return left-- > 0;
    });
    return isWhole ? "complete" : undefined;
  }

  /** @returns how the stream ended; undefined when the reader is to come back */
  #endOf(error: unknown): string | undefined {
    if (error instanceof LineBrokenError) return undefined;
    if (!KeyedStreamError.isInstance(error)) throw error;
    this.#world.trace.add(this.#name, `is told: ${error.reason}`);
    return PASSING.has(error.reason) ? undefined : error.reason;
  }
}

/** Made by whoever asks, run by the process that is asked. */
function sourceOf(world: World, call: Call): StreamSource {
  const { apiKey, baseURL, fetch } = world;
  const gateway = new ModelGateway({ apiKey, baseURL, fetch, maxRetries: 0 });
  // What costs little may be asked again when its answer got lost, and is no purchase.
  if (world.chance("it is a chat", 0.5)) {
    const messages = [{ role: "user" as const, content: QUESTION }];
    const body = { model: "local-chat", messages, max_tokens: world.count("tokens", 3, 16) };
    return noting(call, (signal) => gateway.chat.completions.create({ ...body, stream: true }, { signal }));
  }
  const body = {
    model: "local-image-b64",
    prompt: "a fox",
    partial_images: world.count("partial images", 0, 3),
  };
  const paid = async (signal: AbortSignal) =>
    withoutBytes(await gateway.images.stream({ ...body, size: "1024x1024" }, { signal }));
  return noting(call, (signal) => world.intend(KEY, () => paid(signal)));
}

function noting(call: Call, open: StreamSource["open"]): StreamSource {
  return {
    open(signal) {
      const { stoppedAt = Number.POSITIVE_INFINITY } = call;
      if (Date.now() - stoppedAt > STREAM_SETTINGS.leaseMs) call.isLate = true;
      return open(signal);
    },
  };
}

/** The pictures themselves would only take time. */
async function* withoutBytes(images: ImageStream): AsyncGenerator<unknown> {
  for await (const event of images) yield { type: event.type, bytes: JSON.stringify(event).length };
}

function positionOf(id: string): [run: string, number: number] {
  const at = id.lastIndexOf("-");
  return [id.slice(0, at), Number(id.slice(at + 1))];
}
