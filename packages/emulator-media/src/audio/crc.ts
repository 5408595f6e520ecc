/** A cyclic redundancy check that starts at zero and takes the highest bit first, as Ogg and FLAC use them. */
export class Crc {
  readonly #table: Uint32Array;
  readonly #bits: number;

  constructor({ bits, polynomial }: { bits: 8 | 16 | 32; polynomial: number }) {
    this.#bits = bits;
    this.#table = Uint32Array.from({ length: 256 }, (_, byte) => {
      // Worked out in the upper bits of 32, which makes all widths alike.
      let remainder = byte << 24;
      for (let bit = 0; bit < 8; bit++) {
        remainder = (remainder << 1) ^ (remainder < 0 ? polynomial << (32 - bits) : 0);
      }
      return remainder;
    });
  }

  of(bytes: Uint8Array): number {
    let remainder = 0;
    for (const byte of bytes) remainder = (remainder << 8) ^ this.#table[(remainder >>> 24) ^ byte]!;
    return remainder >>> (32 - this.#bits);
  }
}
