const ROUNDS = 64;
const BLOCK_WORDS = 16;
const BLOCK_BYTES = 64;
const LENGTH_BYTES = 8;

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

const encoder = /* @__PURE__ */ new TextEncoder();

/**
 * SHA-256 of a text in UTF-8, in hexadecimal digits. Synchronous, since a digest of the platform costs a promise per text. Halves of
 * surrogate pairs are all the same in UTF-8: JSON writes them out.
 */
export function sha256(text: string): string {
  const bytes = encoder.encode(text);
  const { length } = bytes;
  const padded = new Uint8Array(Math.ceil((length + 1 + LENGTH_BYTES) / BLOCK_BYTES) * BLOCK_BYTES);
  padded.set(bytes);
  padded[length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - LENGTH_BYTES, length / 2 ** 29);
  view.setUint32(padded.length - LENGTH_BYTES / 2, length << 3);
  const state = START.slice();
  for (let start = 0; start < padded.length; start += BLOCK_BYTES) {
    for (let word = 0; word < BLOCK_WORDS; word++) schedule[word] = view.getInt32(start + word * 4);
    compress(state);
  }
  return Array.from(state, (value) => (value >>> 0).toString(16).padStart(8, "0")).join("");
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
