/** What a queue asks of the connection that fills it. */
export interface QueueSource {
  resume(): void;
  /** Closes the connection because nobody reads on. */
  abort(): void;
}

interface Waiter<T> {
  resolve(result: IteratorResult<T>): void;
  reject(error: unknown): void;
}

/**
 * Turns pushed items into an async iterator. Written by hand and not as an async generator: items that have
 * arrived are handed out with one resolved promise each, and a network read wakes the reader once.
 */
export class AsyncQueue<T> implements AsyncIterableIterator<T> {
  #items: T[] = [];
  #first = 0;
  #waiter: Waiter<T> | undefined;
  #pending: Promise<unknown> = Promise.resolve();
  #finished = false;
  #error: unknown;
  #source: QueueSource | undefined;
  #paused = false;
  #read = false;
  readonly #highWaterMark: number;

  /** @param highWaterMark number of unread items at which the connection is paused */
  constructor(highWaterMark: number) {
    this.#highWaterMark = highWaterMark;
  }

  attach(source: QueueSource): void {
    this.#source = source;
  }

  /** Adds an item; `flush` makes it visible to a waiting reader. */
  push(item: T): void {
    this.#items.push(item);
  }

  /** Gives an item back that was taken: it is read next, as if nobody had asked yet. */
  putBack(item: T): void {
    this.#read = false;
    if (this.#first > 0) this.#items[--this.#first] = item;
    else this.#items.unshift(item);
  }

  /** @returns false when the reader is behind and the connection should pause */
  flush(): boolean {
    const waiter = this.#waiter;
    if (waiter !== undefined && this.#first < this.#items.length) {
      this.#waiter = undefined;
      waiter.resolve({ value: this.#take(), done: false });
    }
    if (this.#items.length - this.#first < this.#highWaterMark) return true;
    this.#paused = true;
    return false;
  }

  /** Ends the queue after what it holds; with an error, the reader meets it once everything is read. */
  finish(error?: unknown): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#error = error;
    const waiter = this.#waiter;
    if (waiter === undefined) return;
    this.#waiter = undefined;
    this.#error = undefined;
    if (error === undefined) waiter.resolve({ value: undefined, done: true });
    else waiter.reject(error);
  }

  /** Ends the queue at once, unread items included, and closes the connection. */
  cancel(error: unknown): void {
    if (this.#finished) return;
    this.discard();
    this.#source?.abort();
    this.finish(error);
  }

  /** Drops what has not been read. */
  discard(): void {
    this.#items = [];
    this.#first = 0;
  }

  get isPaused(): boolean {
    return this.#paused;
  }

  /** Whether anybody has asked for an item. */
  get wasRead(): boolean {
    return this.#read;
  }

  next(): Promise<IteratorResult<T>> {
    this.#read = true;
    if (this.#first < this.#items.length) return Promise.resolve({ value: this.#take(), done: false });
    if (this.#finished) return this.#settle();
    // Like an async generator: overlapping calls are answered one after the other.
    if (this.#waiter !== undefined) return this.#pending.then(() => this.next());
    const promise = new Promise<IteratorResult<T>>((resolve, reject) => {
      this.#waiter = { resolve, reject };
    });
    this.#pending = promise;
    return promise;
  }

  /** Everything that has arrived, at least one item; undefined at the end. Cheaper than `next` per item. */
  async nextBatch(): Promise<T[] | undefined> {
    this.#read = true;
    if (this.#first === this.#items.length) {
      const { value, done } = await this.next();
      if (done) return undefined;
      return [value, ...this.#takeAll()];
    }
    return this.#takeAll();
  }

  /** Called by `break` and by errors in a `for await` loop: gives up the connection. */
  return(): Promise<IteratorResult<T>> {
    this.#finished = true;
    this.#error = undefined;
    this.discard();
    this.#source?.abort();
    this.#waiter?.resolve({ value: undefined, done: true });
    this.#waiter = undefined;
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #settle(): Promise<IteratorResult<T>> {
    const error = this.#error;
    this.#error = undefined;
    return error === undefined ? Promise.resolve({ value: undefined, done: true }) : Promise.reject(error);
  }

  #take(): T {
    const item = this.#items[this.#first] as T;
    // Drops the reference at once; the array itself is reset when it has been read.
    this.#items[this.#first++] = undefined as T;
    if (this.#first === this.#items.length) this.#reset();
    return item;
  }

  #takeAll(): T[] {
    const batch = this.#first === 0 ? this.#items : this.#items.slice(this.#first);
    this.#items = [];
    this.#first = 0;
    this.#resume();
    return batch;
  }

  #reset(): void {
    this.#items.length = 0;
    this.#first = 0;
    this.#resume();
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#source?.resume();
  }
}

/** Closes the connections of streams that were dropped without a word. */
const dropped = new FinalizationRegistry<AsyncQueue<unknown>>((queue) => void queue.return());

/**
 * What the caller of a stream holds. The connection holds the queue and not this: once nobody can read any more, the
 * connection is closed, and its place under `maxConcurrency` is free.
 */
export class QueueReader<T> implements AsyncIterableIterator<T> {
  readonly #queue: AsyncQueue<T>;

  constructor(queue: AsyncQueue<T>) {
    this.#queue = queue;
    dropped.register(this, queue as AsyncQueue<unknown>);
  }

  next(): Promise<IteratorResult<T>> {
    return this.#queue.next();
  }

  /** Everything that has arrived, at least one item; undefined at the end. Cheaper than `next` per item. */
  nextBatch(): Promise<T[] | undefined> {
    return this.#queue.nextBatch();
  }

  /** Gives up the connection. */
  return(): Promise<IteratorResult<T>> {
    return this.#queue.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
