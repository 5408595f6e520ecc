/** Words of a digest that tell it from others: no two of 128 bits are ever equal by chance. */
const WORDS = 4;
const DIGITS = 8;
/** Of the places that are taken when the table grows. */
const MAX_LOAD = 0.7;
const FIRST_PLACES = 1_024;

/**
 * Numbers by digest, in 24 bytes for each place of a table: a `Map` of strings takes five times as much, which counts
 * for a million texts.
 */
export class DigestMap {
  #keys = new Uint32Array(FIRST_PLACES * WORDS);
  #values = new Float64Array(FIRST_PLACES).fill(Number.NaN);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @param digest hexadecimal digits of a hash, 32 or more */
  get(digest: string): number | undefined {
    const value = this.#values[this.#placeOf(wordsOf(digest))] as number;
    return Number.isNaN(value) ? undefined : value;
  }

  /** @param value any number but NaN */
  set(digest: string, value: number): void {
    const place = this.#put(wordsOf(digest), value);
    if (!place) return;
    this.#size++;
    if (this.#size > this.#values.length * MAX_LOAD) this.#grow();
  }

  /** @returns whether it was not there */
  #put(words: ArrayLike<number>, value: number): boolean {
    const place = this.#placeOf(words);
    const isNew = Number.isNaN(this.#values[place]);
    this.#keys.set(words, place * WORDS);
    this.#values[place] = value;
    return isNew;
  }

  /** Where it stands, or is to stand. */
  #placeOf(words: ArrayLike<number>): number {
    const mask = this.#values.length - 1;
    let place = (words[0] as number) & mask;
    while (!Number.isNaN(this.#values[place]) && !this.#isAt(place, words)) place = (place + 1) & mask;
    return place;
  }

  #isAt(place: number, words: ArrayLike<number>): boolean {
    for (let word = 0; word < WORDS; word++)
      if (this.#keys[place * WORDS + word] !== words[word]) return false;
    return true;
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    this.#keys = new Uint32Array(keys.length * 2);
    this.#values = new Float64Array(values.length * 2).fill(Number.NaN);
    values.forEach((value, place) => {
      if (!Number.isNaN(value)) this.#put(keys.subarray(place * WORDS, (place + 1) * WORDS), value);
    });
  }
}

function wordsOf(digest: string): Uint32Array {
  const words = new Uint32Array(WORDS);
  for (let word = 0; word < WORDS; word++)
    words[word] = Number.parseInt(digest.slice(word * DIGITS, (word + 1) * DIGITS), 16);
  return words;
}
