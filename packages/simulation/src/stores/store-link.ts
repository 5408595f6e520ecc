import type { World } from "@model-gateway/emulator/simulation";

/** Answers calls by the name of their method. */
type Methods = Record<string, (...args: never[]) => unknown>;

interface Answer {
  result?: unknown;
  problem?: string;
}

const JSON_HEADERS = { "content-type": "application/json" };

/**
 * The way from a process to a store that others share, over the network of the world: calls get lost before and after they
 * took effect, are answered by somebody else, or take minutes.
 */
export class StoreLink {
  readonly #world: World;
  readonly #origin: string;
  readonly #closing = new AbortController();

  /** @param origin where `serve` answers */
  constructor(world: World, origin: string) {
    this.#world = world;
    this.#origin = origin;
  }

  /** Answers the calls of an address. Nobody is served any more when the returned function is called. */
  static serve(world: World, origin: string, methods: Methods): () => void {
    return world.serve(origin, async (request) => {
      const method = methods[new URL(request.url).pathname.slice(1)];
      const args = (await request.json()) as unknown[];
      const answer = async (): Promise<Answer> => {
        try {
          // What is left out travels as null.
          return { result: await method?.(...(args.map((value) => value ?? undefined) as never[])) };
        } catch (error) {
          return { problem: String(error) };
        }
      };
      return new Response(JSON.stringify(await answer()), { headers: JSON_HEADERS });
    });
  }

  /** @throws Error when nobody knows what came of the call, or what the method threw */
  async call<T>(method: string, ...args: unknown[]): Promise<T> {
    const body = JSON.stringify(args);
    const response = await this.#world.fetch(`${this.#origin}/${method}`, {
      ...{ method: "POST", body, signal: this.#closing.signal },
    });
    const text = await response.text();
    if (!response.ok || response.headers.get("content-type") !== "application/json")
      throw new Error(`The store was not reached: ${response.status}.`);
    const { result, problem } = JSON.parse(text) as Answer;
    if (problem !== undefined) throw new Error(problem);
    return result as T;
  }

  /** Calls that are under way reject, and so do later ones. */
  close(): void {
    this.#closing.abort(new Error("The line to the store is closed."));
  }
}
