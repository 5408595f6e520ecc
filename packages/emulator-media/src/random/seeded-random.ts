/**
 * A stream of numbers from 0 to below 1 that depends on the seed alone (the SplitMix32 generator).
 * Neighbouring seeds give unrelated streams.
 */
export function seededRandom(seed: number): () => number {
  // Mixes the fraction and the high bits in, so that 0.1 and 0.2, or 1 and 2 ** 32 + 1, differ.
  // Adding 0 turns -0, which is equal to 0 everywhere else, into 0.
  const [low = 0, high = 0] = new Uint32Array(new Float64Array([seed + 0]).buffer);
  let state = Math.imul(low, 0x85ebca6b) ^ high;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
