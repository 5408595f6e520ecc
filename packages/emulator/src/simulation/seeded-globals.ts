import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { integerFrom, type Random } from "./seeded-random.js";

/**
 * Takes chance out of this process: `Math.random` and what `node:crypto` and `globalThis.crypto` make up follow the
 * seed.
 *
 * @returns puts it back
 */
export function seedGlobals(random: Random): () => void {
  const bytes = <T extends ArrayBufferView>(into: T): T => {
    const view = new Uint8Array(into.buffer, into.byteOffset, into.byteLength);
    for (let at = 0; at < view.length; at++) view[at] = integerFrom(random, 0, 255);
    return into;
  };
  const uuid = () => {
    const made = bytes(Buffer.alloc(16));
    made.writeUInt8((made.readUInt8(6) & 0x0f) | 0x40, 6);
    made.writeUInt8((made.readUInt8(8) & 0x3f) | 0x80, 8);
    const hex = made.toString("hex");
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
  };
  const restore = [
    replace(Math, "random", random),
    replace(crypto, "randomUUID", uuid),
    replace(crypto, "randomBytes", (size: number) => bytes(Buffer.alloc(size))),
    replace(crypto, "randomInt", (min: number, max?: number) =>
      max === undefined ? integerFrom(random, 0, min - 1) : integerFrom(random, min, max - 1),
    ),
    replace(globalThis.crypto, "randomUUID", uuid),
    replace(globalThis.crypto, "getRandomValues", bytes),
  ];
  syncBuiltinESMExports();
  return () => {
    for (const back of restore) back();
    syncBuiltinESMExports();
  };
}

/** @returns puts it back */
export function replace(target: object, name: string, value: unknown): () => void {
  const own = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
  return () => {
    if (own === undefined) Reflect.deleteProperty(target, name);
    else Object.defineProperty(target, name, own);
  };
}
