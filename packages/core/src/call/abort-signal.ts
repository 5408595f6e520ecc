/** The callbacks of one signal behind the one listener that it has of ours. */
class AbortHub {
  readonly #callbacks = new Set<() => void>();

  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  add(callback: () => void): () => void {
    // A function of its own: the same callback may be given twice.
    const entry = () => callback();
    this.#callbacks.add(entry);
    return () => {
      if (!this.#callbacks.delete(entry) || this.#callbacks.size > 0) return;
      this.#signal.removeEventListener("abort", this.#onAbort);
      hubs.delete(this.#signal);
    };
  }

  readonly #onAbort = (): void => {
    hubs.delete(this.#signal);
    const callbacks = [...this.#callbacks];
    this.#callbacks.clear();
    for (const callback of callbacks) callback();
  };
}

const hubs = new WeakMap<AbortSignal, AbortHub>();

/**
 * Calls back on abort. One listener per signal serves all calls: Node warns of a leak at eleven, and one signal for
 * a batch of a hundred calls is none.
 *
 * @returns a function that takes the callback off again; the last one takes the listener off the signal
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => {};
  let hub = hubs.get(signal);
  if (hub === undefined) {
    hub = new AbortHub(signal);
    hubs.set(signal, hub);
  }
  return hub.add(callback);
}
