import crypto from "node:crypto";
import zlib from "node:zlib";
import { running } from "./owner.js";
import { replace } from "./seeded-globals.js";

type Work = (...args: unknown[]) => unknown;

/** What is given a callback, or else does its work at once. */
const OF_CRYPTO = ["scrypt", "pbkdf2", "hkdf", "generateKey", "generateKeyPair", "sign", "verify"] as const;
const OF_ZLIB = [
  ...(["deflate", "deflateRaw", "gzip", "gunzip", "inflate", "inflateRaw", "unzip"] as const),
  ...(["brotliCompress", "brotliDecompress"] as const),
];

/**
 * What threads of this process work at for the code of a world. No list of the platform shows it, and how long it takes is
 * up to the machine: time stands still meanwhile.
 */
export class ThreadWork {
  #underWay = 0;

  get isUnderWay(): boolean {
    return this.#underWay > 0;
  }

  /** @returns puts the functions of the platform back */
  install(): () => void {
    const { subtle } = globalThis.crypto;
    const promising = Object.getOwnPropertyNames(SubtleCrypto.prototype).filter(
      (name) => name !== "constructor",
    );
    const restore = [
      ...promising.map((name) =>
        this.#watch(subtle, name, (work, args) => this.#promised(work.apply(subtle, args))),
      ),
      ...OF_CRYPTO.map((name) => this.#watch(crypto, name, (work, args) => this.#calledBack(work, args))),
      ...OF_ZLIB.map((name) => this.#watch(zlib, name, (work, args) => this.#calledBack(work, args))),
    ];
    return () => {
      for (const back of restore) back();
    };
  }

  #watch(target: object, name: string, watched: (work: Work, args: unknown[]) => unknown): () => void {
    const work = Reflect.get(target, name) as Work;
    const watching = (...args: unknown[]) =>
      running.getStore() === undefined ? work.apply(target, args) : watched(work, args);
    // With what `promisify` knows of it.
    Object.defineProperties(watching, Object.getOwnPropertyDescriptors(work));
    return replace(target, name, watching);
  }

  async #promised(work: unknown): Promise<unknown> {
    this.#underWay += 1;
    try {
      return await work;
    } finally {
      this.#underWay -= 1;
    }
  }

  #calledBack(work: Work, args: unknown[]): unknown {
    const callback = args.at(-1);
    if (typeof callback !== "function") return work(...args);
    const result = work(...args.slice(0, -1), (...given: unknown[]) => {
      this.#underWay -= 1;
      callback(...given);
    });
    // Not where it throws at once.
    this.#underWay += 1;
    return result;
  }
}
