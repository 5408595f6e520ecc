import crypto, { scrypt } from "node:crypto";
import { promisify } from "node:util";
import zlib, { gunzip } from "node:zlib";
import { describe, expect, it } from "vitest";
import { inWorld } from "../testing/in-world.js";

const LARGE = Buffer.alloc(4_000_000, "fox");

describe("time of a world", () => {
  it.each<[string, () => Promise<unknown>]>([
    ["digests are made", () => globalThis.crypto.subtle.digest("SHA-256", LARGE)],
    ["keys are derived", () => promisify(scrypt)("secret", "salt", 32)],
    [
      "keys are made",
      async () => (await promisify(crypto.generateKeyPair)("rsa", { modulusLength: 1_024 })).privateKey,
    ],
    ["bytes are packed", () => promisify(zlib.gzip)(LARGE)],
    ["bytes are unpacked", () => promisify(gunzip)(zlib.gzipSync(LARGE))],
  ])("stands still while %s", async (_what, work) => {
    await inWorld(async (world) => {
      const from = Date.now();
      setTimeout(() => {}, 1);
      expect(await work()).toBeTruthy();
      expect(Date.now()).toBe(from);
      await world.sleep(1_000);
      expect(Date.now()).toBe(from + 1_000);
    });
  });

  it("goes on after work that was refused", async () => {
    await inWorld(async (world) => {
      await expect(globalThis.crypto.subtle.digest("none", LARGE)).rejects.toThrow();
      await expect(promisify(zlib.gunzip)(Buffer.from("no"))).rejects.toThrow(/header/);
      expect(() => scrypt("a", "b", -1, () => {})).toThrow(RangeError);
      expect(zlib.gunzipSync(zlib.gzipSync("fox")).toString()).toBe("fox");
      expect(
        crypto.sign("sha256", LARGE, crypto.generateKeyPairSync("rsa", { modulusLength: 1_024 }).privateKey),
      ).toBeTruthy();
      await world.sleep(1_000);
    });
  });
});
