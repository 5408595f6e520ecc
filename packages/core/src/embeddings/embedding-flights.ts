import type { EmbeddingCache } from "./embedding-cache.js";

/** Ends with the vector, or with undefined when whoever asked for it did not get it. */
type Flight = Promise<Float32Array | undefined>;

/** What is asked for at the moment, by cache and key: a text that two calls want at once is sent by one of them. */
export class EmbeddingFlights {
  readonly #byCache = new WeakMap<EmbeddingCache, Map<string, Flight>>();

  /**
   * Takes what nobody asks for. Synchronous from end to end: of two calls one is first.
   *
   * @param places of the keys that are wanted
   */
  claim(cache: EmbeddingCache, keys: readonly string[], places: readonly number[]): EmbeddingClaim {
    let flights = this.#byCache.get(cache);
    if (flights === undefined) {
      flights = new Map();
      this.#byCache.set(cache, flights);
    }
    return new EmbeddingClaim(flights, keys, places);
  }
}

/** What one call asks for, and what others ask for already. */
export class EmbeddingClaim {
  readonly mine: number[] = [];
  readonly theirs = new Map<number, Flight>();
  readonly #flights: Map<string, Flight>;
  readonly #waiting = new Map<string, (vector: Float32Array | undefined) => void>();

  constructor(flights: Map<string, Flight>, keys: readonly string[], places: readonly number[]) {
    this.#flights = flights;
    for (const place of places) {
      const key = keys[place] as string;
      const flight = flights.get(key);
      if (flight !== undefined) {
        this.theirs.set(place, flight);
        continue;
      }
      this.mine.push(place);
      flights.set(key, new Promise((resolve) => this.#waiting.set(key, resolve)));
    }
  }

  /** Only once the cache has been given it: who asks from now on looks there. */
  land(key: string, vector: Float32Array | undefined): void {
    this.#waiting.get(key)?.(vector);
    if (this.#waiting.delete(key)) this.#flights.delete(key);
  }

  /** Leaves what did not come to whoever waits for it. */
  release(): void {
    for (const key of [...this.#waiting.keys()]) this.land(key, undefined);
  }
}
