import { encodeBase64 } from "../download/base64.js";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** What a byte stands for as a digit; negative for what is none, however it is shifted. */
const DIGITS = new Int8Array(256).fill(-1);
for (let digit = 0; digit < ALPHABET.length; digit++) DIGITS[ALPHABET.charCodeAt(digit)] = digit;
const PADDING = 0x3d;

/** Blocks hold a multiple of three bytes, so that the texts of all of them make the text of the whole. */
const LARGEST_BLOCK = 3 * 2 ** 18;

/** Getters of texts, and what they encode. */
const contents = new WeakMap<() => unknown, Base64Content>();

/**
 * Base64 that is kept as the bytes it stands for. Decoded as it is read, in blocks that never move; encoded again, exactly,
 * when somebody asks for the text.
 */
export class Base64Content {
  /** Not to be changed by anybody. */
  readonly blocks: Uint8Array[] = [];
  #block: Uint8Array;
  #used = 0;
  /** Digits that do not make three bytes yet. */
  #bits = 0;
  #digits = 0;
  #padding = 0;
  #encoded: string | undefined;
  readonly #minimum: number;

  /** @param minimum the least number of bytes worth to be kept as such, a multiple of three */
  constructor(minimum: number) {
    this.#minimum = minimum;
    this.#block = new Uint8Array(minimum);
  }

  /** The content behind a property that `defineOn` has defined, and that nobody has overwritten since. */
  static of(target: object, name: string): Base64Content | undefined {
    const { get } = Object.getOwnPropertyDescriptor(target, name) ?? {};
    return get && contents.get(get);
  }

  /** Reads on. @returns the position behind what was read: the end, or a byte that cannot follow */
  push(chunk: Uint8Array, from: number): number {
    let at = from;
    for (;;) {
      if (this.#digits === 0) at = this.#pushGroups(chunk, at);
      if (at === chunk.length) return at;
      const byte = chunk[at] as number;
      const digit = DIGITS[byte] as number;
      const sum = this.#digits + this.#padding;
      if (digit >= 0 && this.#padding === 0) this.#pushDigit(digit);
      else if (byte === PADDING && this.#digits >= 2 && sum < 4) this.#padding++;
      else return at;
      at++;
    }
  }

  /** @returns whether that was all: Base64 that any encoder would write so, and enough of it */
  finish(): boolean {
    const bits = this.#bits;
    const digits = this.#digits;
    const padding = this.#padding;
    if (this.blocks.length === 0 && this.#used < this.#minimum) return false;
    if (digits > 0) {
      const spare = digits === 2 ? 4 : 2;
      if (digits + padding !== 4 || (bits & ((1 << spare) - 1)) !== 0) return false;
      for (let left = digits * 6 - 8; left >= 0; left -= 8) {
        if (this.#used === this.#block.length) this.#grow();
        this.#block[this.#used++] = bits >> left;
      }
    }
    this.blocks.push(this.#block.slice(0, this.#used));
    this.#block = new Uint8Array();
    this.#used = this.#digits = this.#padding = 0;
    return true;
  }

  /** Forgets what it has read, unless that has become more than a few bytes. @returns whether it can be used anew */
  reset(): boolean {
    this.#used = this.#bits = this.#digits = this.#padding = 0;
    return this.blocks.length === 0;
  }

  /** The text so far. */
  text(): string {
    if (this.#encoded !== undefined) return this.#encoded;
    const digits = Array.from({ length: this.#digits }, (_, index) =>
      ALPHABET.charAt((this.#bits >> ((this.#digits - 1 - index) * 6)) & 63),
    );
    const blocks = [...this.blocks, this.#block.subarray(0, this.#used)].map(encodeBase64);
    return blocks.join("") + digits.join("") + "=".repeat(this.#padding);
  }

  /** The first characters of the text. */
  start(): string {
    return encodeBase64((this.blocks[0] as Uint8Array).subarray(0, 12));
  }

  /** Whether a word is in the text, which is not written for it as a whole. */
  includes(word: string): boolean {
    if (/[^A-Za-z\d+/=]/.test(word)) return false;
    let end = "";
    return this.blocks.some((block) => {
      const text = end + encodeBase64(block);
      end = text.slice(Math.max(0, text.length - word.length + 1));
      return text.includes(word);
    });
  }

  /** Makes the text a property, which is encoded when it is read for the first time. */
  defineOn(target: object, name: string): void {
    const get = () => {
      this.#encoded ??= this.text();
      return this.#encoded;
    };
    const set = (value: unknown) =>
      Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
    contents.set(get, this);
    Object.defineProperty(target, name, { get, set, enumerable: true, configurable: true });
  }

  /** Four digits make three bytes: by far the most of the work. */
  #pushGroups(chunk: Uint8Array, from: number): number {
    let block = this.#block;
    let used = this.#used;
    let at = from;
    for (; at + 4 <= chunk.length; at += 4) {
      const bits =
        ((DIGITS[chunk[at] as number] as number) << 18) |
        ((DIGITS[chunk[at + 1] as number] as number) << 12) |
        ((DIGITS[chunk[at + 2] as number] as number) << 6) |
        (DIGITS[chunk[at + 3] as number] as number);
      if (bits < 0) break;
      if (used === block.length) {
        this.#used = used;
        this.#grow();
        block = this.#block;
        used = this.#used;
      }
      block[used] = bits >> 16;
      block[used + 1] = bits >> 8;
      block[used + 2] = bits;
      used += 3;
    }
    this.#used = used;
    return at;
  }

  #pushDigit(digit: number): void {
    this.#bits = (this.#bits << 6) | digit;
    if (++this.#digits < 4) return;
    if (this.#used === this.#block.length) this.#grow();
    for (const shift of [16, 8, 0]) this.#block[this.#used++] = this.#bits >> shift;
    this.#bits = this.#digits = 0;
  }

  #grow(): void {
    this.blocks.push(this.#block);
    this.#block = new Uint8Array(Math.min(this.#block.length * 2, LARGEST_BLOCK));
    this.#used = 0;
  }
}
