const VALUE_BYTES = 4;

/** A vector as little-endian 32-bit floats, and a checksum behind them: what caches of bytes keep. */
export function encodeVector(vector: Float32Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array((vector.length + 1) * VALUE_BYTES);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < vector.length; index++)
    view.setFloat32(index * VALUE_BYTES, vector[index] as number, true);
  view.setUint32(vector.length * VALUE_BYTES, checksumOf(view, vector.length), true);
  return bytes;
}

/** @returns undefined for bytes that `encodeVector` has not written, or not all of them */
export function decodeVector(bytes: Uint8Array): Float32Array<ArrayBuffer> | undefined {
  const length = bytes.length / VALUE_BYTES - 1;
  if (length < 1 || !Number.isInteger(length)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(length * VALUE_BYTES, true) !== checksumOf(view, length)) return undefined;
  const vector = new Float32Array(length);
  for (let index = 0; index < length; index++) vector[index] = view.getFloat32(index * VALUE_BYTES, true);
  return vector;
}

/** FNV-1a over words of 32 bits, with a shift that lets high bits count. */
function checksumOf(view: DataView, words: number): number {
  let hash = 0x811c9dc5 ^ words;
  for (let index = 0; index < words; index++) {
    hash = Math.imul(hash ^ view.getUint32(index * VALUE_BYTES, true), 0x01000193);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}
