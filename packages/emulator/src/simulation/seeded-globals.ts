import crypto from "node:crypto";
import { running } from "./owner.js";
import { integerFrom, namedRandom, type Random, seededRandom } from "./seeded-random.js";

const LONGEST_SECRET_BYTES = 1_024;

/**
 * Takes chance out of this process: `Math.random` and what `node:crypto` and `globalThis.crypto` make up follow the
 * seed.
 *
 * @returns puts it back
 */
export function seedGlobals(seed: number): () => void {
  const random = momentRandom(seed, "random");
  const secret = momentRandom(seed, "secret");
  const bytes = <T extends ArrayBufferView>(into: T): T => {
    const view = new Uint8Array(into.buffer, into.byteOffset, into.byteLength);
    // Drawn one by one up to here: who asks for more wants room that is taken, and no secret.
    const drawn = Math.min(view.length, LONGEST_SECRET_BYTES);
    const draw = seededRandom(secret() * 2 ** 32);
    for (let at = 0; at < drawn; at++) view[at] = integerFrom(draw, 0, 255);
    for (let at = drawn; at < view.length; at *= 2) view.copyWithin(at, 0, at);
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
      max === undefined ? integerFrom(secret, 0, min - 1) : integerFrom(secret, min, max - 1),
    ),
    replace(globalThis.crypto, "randomUUID", uuid),
    replace(globalThis.crypto, "getRandomValues", bytes),
  ];
  return () => {
    for (const back of restore) back();
  };
}

/**
 * Numbers that belong to a moment and a process: a library that draws some ahead, and has some left from the world before,
 * shifts none of those that are drawn later.
 */
function momentRandom(seed: number, kind: string): Random {
  let moment = Number.NaN;
  const draws = new Map<number, Random>();
  return () => {
    const now = Date.now();
    if (now !== moment) draws.clear();
    moment = now;
    const { pid = 0 } = running.getStore()?.owner ?? {};
    const draw = draws.get(pid) ?? namedRandom(seed, `${kind} ${pid} ${now}`);
    draws.set(pid, draw);
    return draw();
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
