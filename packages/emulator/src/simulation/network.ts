import type { Emulator } from "../emulator.js";
import type { FaultName } from "./fault-plan.js";
import { never, type Owner, running } from "./owner.js";
import { integerFrom, pickFrom, type Random } from "./seeded-random.js";
import { arrivedRequest, readSentRequest, type SentRequest } from "./sent-request.js";
import type { World } from "./world.js";

/** Answers requests to an address of the world. */
export type SimulatedServer = (request: Request) => Response | Promise<Response>;

const REFUSALS = [408, 429, 500, 502, 503, 200];
/** What says nothing of what was done. */
const REPLACEMENTS = [408, 500, 502, 503, 504, 200];
const NETWORK_FAULTS: FaultName[] = [
  "refuse",
  "resetBefore",
  "resetAfter",
  "cut",
  "refusedByProxy",
  "replacedByProxy",
  "delay",
];
const LONGEST_DELAY_MS = 120_000;
const MAX_PIECES = 6;

/** An answer as it goes over the line. */
interface Reply {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
  /** How many of the bytes arrive; then the connection ends, as if that were all or with an error. */
  arrive: number;
  ends: "whole" | "early" | "broken";
}

/** The wires of the world: between the processes and the gateway, and from the gateway back. */
export class SimulatedNetwork {
  readonly #world: World;
  readonly #emulator: Emulator;
  readonly #servers = new Map<string, SimulatedServer>();
  readonly #occasions = new Map<string, number>();
  /** Requests without an answer, and answers that are not read to their end. */
  readonly open = new Set<string>();

  constructor(world: World, emulator: Emulator) {
    this.#world = world;
    this.#emulator = emulator;
  }

  /** @returns closes it */
  serve(origin: string, server: SimulatedServer): () => void {
    const owner = running.getStore()?.owner ?? this.#world.gateway;
    const served: SimulatedServer = (request) =>
      new Promise((resolve, reject) => {
        if (!owner.alive) throw broken("ECONNREFUSED");
        const onDeath = () => reject(broken("ECONNRESET"));
        owner.onDeath.add(onDeath);
        running
          .run({ owner }, async () => server(request))
          .then(resolve, reject)
          .finally(() => owner.onDeath.delete(onDeath));
      });
    const close = () => {
      if (this.#servers.get(origin) === served) this.#servers.delete(origin);
    };
    this.#servers.set(origin, served);
    owner.onDeath.add(close);
    return close;
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const from = running.getStore();
    const owner = from?.owner ?? this.#world.gateway;
    if (!owner.alive) return never();
    const request = await readSentRequest(input, init);
    const { method, url, signal } = request;
    const isCallback = owner === this.#world.gateway;
    const what = `${method} ${url.pathname}`;
    const name = this.#nameOf(`${owner.name} ${what}`);
    this.#world.trace.add(owner.name, `→ ${what}`);
    this.open.add(name);
    owner.onDeath.add(() => this.open.delete(name));
    try {
      if (!isCallback) await abortable(this.#world.step(owner, name), signal);
      const answer = running.run({ owner: this.#world.gateway }, () =>
        isCallback ? this.#callBack(name, request) : this.#carry(name, request, from?.intent),
      );
      const reply = await abortable(answer, signal);
      if (!owner.alive) return await never();
      this.#world.trace.add(owner.name, `← ${reply.status} ${what}`);
      return this.#hand(name, owner, reply, signal);
    } catch (error) {
      this.open.delete(name);
      if (!owner.alive) return never();
      this.#world.trace.add(owner.name, `← ${describe(error)} ${what}`);
      throw error;
    }
  };

  async #carry(name: string, request: SentRequest, intent: string | undefined): Promise<Reply> {
    const world = this.#world;
    const { method, url } = request;
    const random = world.plan.random(`${name} details`);
    const fault = world.plan.decide(name, NETWORK_FAULTS);
    if (fault !== undefined) world.trace.add("network", `${fault}: ${method} ${url.pathname}`);
    await world.sleep(integerFrom(random, 1, 30));
    if (fault === "refuse") throw broken("ECONNREFUSED");
    if (fault === "refusedByProxy") return proxyReply(pickFrom(random, REFUSALS));
    if (fault === "resetBefore") throw broken("ECONNRESET");
    const answered = await this.#answer(request, intent);
    await world.sleep(integerFrom(random, 1, fault === "delay" ? LONGEST_DELAY_MS : 300));
    if (fault === "resetAfter") throw broken("ECONNRESET");
    if (fault === "replacedByProxy") return proxyReply(pickFrom(random, REPLACEMENTS));
    const { length } = answered.bytes;
    if (fault !== "cut" || length === 0) return { ...answered, arrive: length, ends: "whole" };
    const ends = random() < 0.5 ? "early" : "broken";
    return { ...answered, arrive: integerFrom(random, 0, length - 1), ends };
  }

  async #answer(request: SentRequest, intent: string | undefined) {
    const server = this.#servers.get(request.url.origin);
    if (server !== undefined) this.#lookForKey(request);
    const arrived = arrivedRequest(request);
    const response = server === undefined ? await this.#emulator.fetch(arrived) : await server(arrived);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const requestId = response.headers.get("x-request-id");
    if (server === undefined && requestId !== null) this.#world.purchases.charged(intent, requestId);
    return { status: response.status, headers: response.headers, bytes };
  }

  /** From the gateway to an application. */
  async #callBack(name: string, request: SentRequest): Promise<Reply> {
    const world = this.#world;
    const { url, body } = request;
    const server = this.#servers.get(url.origin);
    if (server === undefined) throw broken("ECONNREFUSED");
    this.#lookForKey(request);
    const random = world.plan.random(`${name} details`);
    const isBad = world.plan.decide(name, ["callback"]) !== undefined;
    const way = isBad ? pickFrom(random, ["lost", "twice", "late", "forged"] as const) : undefined;
    if (way !== undefined) world.trace.add("network", `callback ${way}: ${url.pathname}`);
    await world.sleep(integerFrom(random, 1, way === "late" ? LONGEST_DELAY_MS : 50));
    if (way === "lost") throw broken("ECONNRESET");
    if (way === "forged") {
      const forged = { ...request, body: forge(body, random) };
      await deliver(server, forged).catch(() => undefined);
    }
    if (way === "twice") await deliver(server, request).catch(() => undefined);
    return deliver(server, request);
  }

  /** Nobody but the gateway is to be sent it. */
  #lookForKey({ url, headers, body }: SentRequest): void {
    const { apiKey, leaks } = this.#world;
    const isSent =
      url.href.includes(apiKey) ||
      [...headers.values()].some((value) => value.includes(apiKey)) ||
      (body !== undefined && Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(apiKey));
    if (isSent) leaks.push(`The key was sent to ${url.origin}`);
  }

  /** Hands an answer to its reader, piece by piece. */
  #hand(name: string, owner: Owner, reply: Reply, signal: AbortSignal): Response {
    const world = this.#world;
    const random = world.plan.random(`${name} pieces`);
    const { status, headers, bytes, arrive, ends } = reply;
    if (status === 204 || status === 304 || (arrive === 0 && ends === "whole")) {
      this.open.delete(name);
      return new Response(status === 204 || status === 304 ? null : "", { status, headers });
    }
    const pieces = integerFrom(random, 1, MAX_PIECES);
    const cuts = Array.from({ length: pieces - 1 }, () => integerFrom(random, 0, arrive)).sort(
      (a, b) => a - b,
    );
    const until = [...cuts, arrive];
    let at = 0;
    const over = () => {
      this.open.delete(name);
      signal.removeEventListener("abort", onAbort);
    };
    let fail: (reason: unknown) => void = () => {};
    const onAbort = () => {
      over();
      fail(signal.reason);
    };
    const body = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          fail = (reason) => controller.error(reason);
          signal.addEventListener("abort", onAbort, { once: true });
        },
        async pull(controller) {
          for (;;) {
            await world.sleep(integerFrom(random, 0, 40));
            if (!owner.alive) {
              over();
              await never();
            }
            if (signal.aborted) return;
            const end = until.shift();
            if (end === undefined) break;
            // An empty piece would leave the reader without an answer.
            if (end === at) continue;
            controller.enqueue(bytes.slice(at, end));
            at = end;
            return;
          }
          over();
          if (ends === "broken")
            controller.error(new TypeError("terminated", { cause: broken("ECONNRESET").cause }));
          else controller.close();
        },
        cancel: over,
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { status, headers });
  }

  #nameOf(what: string): string {
    const number = (this.#occasions.get(what) ?? 0) + 1;
    this.#occasions.set(what, number);
    return `${what} #${number}`;
  }
}

async function deliver(server: SimulatedServer, request: SentRequest): Promise<Reply> {
  const response = await server(arrivedRequest(request));
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, arrive: bytes.length, ends: "whole" };
}

/** A body that looks like the real one and says something else. */
function forge(body: Uint8Array | undefined, random: Random): Uint8Array<ArrayBuffer> {
  const text = new TextDecoder().decode(body);
  const status = pickFrom(random, ["succeeded", "failed", "expired"]);
  return new TextEncoder().encode(text.replaceAll(/"(status|task_status)":"\w+"/g, `"$1":"${status}"`));
}

function proxyReply(status: number): Reply {
  const bytes = new TextEncoder().encode("<html><body>The upstream server is not available.</body></html>");
  const headers = new Headers({ "content-type": "text/html" });
  return { status, headers, bytes, arrive: bytes.length, ends: "whole" };
}

/** What the platform's `fetch` throws when the network fails. */
function broken(code: string): TypeError {
  const cause = Object.assign(new Error(code), {
    code,
    syscall: code === "ECONNREFUSED" ? "connect" : "read",
  });
  return new TypeError("fetch failed", { cause });
}

function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function describe(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  if (typeof cause?.code === "string") return cause.code;
  return error instanceof Error ? error.name : String(error);
}
