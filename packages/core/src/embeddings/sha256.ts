const ROUNDS = 64;
const BLOCK_WORDS = 16;
const LENGTH_WORDS = 2;

const { START, CONSTANTS } = /* @__PURE__ */ fractionsOfRoots();

/** The first 32 bits of the fractions of square and cube roots of primes: shorter than the table of them. */
function fractionsOfRoots(): { START: Int32Array; CONSTANTS: Int32Array } {
  const START = new Int32Array(8);
  const CONSTANTS = new Int32Array(ROUNDS);
  const fraction = (value: number) => ((value - Math.floor(value)) * 2 ** 32) | 0;
  for (let prime = 2, found = 0; found < ROUNDS; prime++) {
    let divisor = 2;
    while (divisor < prime && prime % divisor !== 0) divisor++;
    if (divisor !== prime) continue;
    if (found < START.length) START[found] = fraction(Math.sqrt(prime));
    CONSTANTS[found++] = fraction(Math.cbrt(prime));
  }
  return { START, CONSTANTS };
}

const schedule = /* @__PURE__ */ new Int32Array(ROUNDS);

/**
 * SHA-256 of a text in hexadecimal digits: of its Latin-1 bytes where it has no other letters, which are half as many, else of its
 * UTF-16, high bytes first. Texts that begin with the same letter below U+0100 are never told to be the same when they are not.
 * Synchronous, since a digest of the platform costs a promise per text; without an encoder, which takes halves of surrogate pairs for
 * one another.
 */
export function sha256(text: string): string {
  const state = START.slice();
  const perWord = BEYOND_LATIN_1.test(text) ? 2 : 4;
  const filled = Math.floor(text.length / perWord);
  const words = Math.ceil((filled + 1 + LENGTH_WORDS) / BLOCK_WORDS) * BLOCK_WORDS;
  for (let word = 0; word < words; word += BLOCK_WORDS) {
    const whole = Math.max(0, Math.min(BLOCK_WORDS, filled - word));
    if (perWord === 4) fillWithBytes(text, word * 4, whole);
    else fillWithUnits(text, word * 2, whole);
    for (let index = whole; index < BLOCK_WORDS; index++)
      schedule[index] = paddingAt(word + index, text, perWord, words);
    compress(state);
  }
  return Array.from(state, (value) => (value >>> 0).toString(16).padStart(8, "0")).join("");
}

const BEYOND_LATIN_1 = /[^\0-\xff]/;

function fillWithBytes(text: string, start: number, words: number): void {
  for (let index = 0, at = start; index < words; index++, at += 4)
    schedule[index] =
      (text.charCodeAt(at) << 24) |
      (text.charCodeAt(at + 1) << 16) |
      (text.charCodeAt(at + 2) << 8) |
      text.charCodeAt(at + 3);
}

function fillWithUnits(text: string, start: number, words: number): void {
  for (let index = 0, at = start; index < words; index++, at += 2)
    schedule[index] = (text.charCodeAt(at) << 16) | text.charCodeAt(at + 1);
}

/** What follows the whole words: the last letters and a bit that ends them, zeros, and the length in bits. */
function paddingAt(word: number, text: string, perWord: number, words: number): number {
  const bits = 32 / perWord;
  const filled = Math.floor(text.length / perWord);
  if (word === filled) {
    let value = 0;
    let shift = 32;
    for (let at = filled * perWord; at < text.length; at++) {
      shift -= bits;
      value |= text.charCodeAt(at) << shift;
    }
    return value | (1 << (shift - 1));
  }
  const length = text.length * bits;
  if (word === words - 2) return (length / 2 ** 32) | 0;
  return word === words - 1 ? length | 0 : 0;
}

function compress(state: Int32Array): void {
  const w = schedule;
  for (let t = BLOCK_WORDS; t < ROUNDS; t++) {
    const x = w[t - 15] as number;
    const y = w[t - 2] as number;
    const small0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const small1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[t] = ((w[t - 16] as number) + small0 + (w[t - 7] as number) + small1) | 0;
  }
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  for (let t = 0; t < ROUNDS; t++) {
    const big1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const choice = (e & f) ^ (~e & g);
    const first = (h + big1 + choice + (CONSTANTS[t] as number) + (w[t] as number)) | 0;
    const big0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const second = (big0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  state[0] = (state[0] as number) + a;
  state[1] = (state[1] as number) + b;
  state[2] = (state[2] as number) + c;
  state[3] = (state[3] as number) + d;
  state[4] = (state[4] as number) + e;
  state[5] = (state[5] as number) + f;
  state[6] = (state[6] as number) + g;
  state[7] = (state[7] as number) + h;
}
