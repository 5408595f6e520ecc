/** Writes numbers of any number of bits one after the other, highest bit first. */
export class BitWriter {
  #bytes: Uint8Array;
  #length = 0;
  #pending = 0;
  #pendingBits = 0;

  constructor(expectedBytes: number) {
    this.#bytes = new Uint8Array(Math.max(16, expectedBytes));
  }

  /** Writes the lowest `bits` (0 to 24) bits of a whole number. */
  write(value: number, bits: number): void {
    this.#pending = (this.#pending << bits) | (value & ((1 << bits) - 1));
    this.#pendingBits += bits;
    while (this.#pendingBits >= 8) {
      this.#pendingBits -= 8;
      this.#append(this.#pending >>> this.#pendingBits);
    }
    this.#pending &= (1 << this.#pendingBits) - 1;
  }

  /** Writes `zeros` zero bits and a one. */
  writeUnary(zeros: number): void {
    let left = zeros;
    for (; left >= 16; left -= 16) this.write(0, 16);
    this.write(1, left + 1);
  }

  /** Fills the last byte with zero bits. */
  align(): void {
    if (this.#pendingBits > 0) this.write(0, 8 - this.#pendingBits);
  }

  /** The whole bytes written so far. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #append(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const grown = new Uint8Array(2 * this.#length);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes[this.#length++] = byte;
  }
}
