import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { compileChild, startChild } from "./child.js";
import type { KeepingArgument } from "./children/keeping-application.js";
import { useFileHost } from "./file-host.js";

let program: Awaited<ReturnType<typeof compileChild>>;
beforeAll(async () => {
  program = await compileChild("keeping-application");
});
afterAll(() => program.remove());

const BYTES = Uint8Array.from({ length: 5_000_000 }, (_, index) => (index * 31) % 257);
const TENTHS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((tenth) => (tenth * BYTES.length) / 10);
/** At least so much of what has arrived outlives a process, in steps. */
const STEP = 2 ** 20;

async function useDownload(ranges: boolean) {
  const host = await useFileHost(BYTES, { ranges });
  const directory = await mkdtemp(join(tmpdir(), "kept-files-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const folder = join(directory, "files", "default", "order-1");
  const start = () => {
    const argument: KeepingArgument = { ...host.connection, directory, key: "order-1" };
    return startChild(program.file, argument);
  };
  /** Bytes of the file that are on disk, under the name for what is on its way. */
  const arrived = () =>
    stat(join(folder, ".0.mp4.part")).then(
      ({ size }) => size,
      () => -1,
    );
  /** Runs a process until so many bytes have arrived, and kills it. */
  const killAt = async (bytes: number) => {
    const before = host.asked.length;
    host.allow(bytes);
    const child = start();
    await expect.poll(() => host.asked.length, { timeout: 60_000 }).toBe(before + 1);
    await expect.poll(arrived, { timeout: 60_000 }).toBe(bytes);
    child.process.kill("SIGKILL");
    expect(await child.exit).toBe("SIGKILL");
    expect(await readdir(folder)).not.toContain("0.mp4");
  };
  const finish = async () => {
    host.allow(BYTES.length);
    const child = start();
    const told = await child.next();
    expect(await child.exit).toBe(0);
    expect(told).toEqual({
      status: "succeeded",
      files: [
        {
          kind: "video",
          index: 0,
          key: "default/order-1/0.mp4",
          contentType: "video/mp4",
          length: BYTES.length,
          sha256: host.sha256,
          origin: "task-1",
        },
      ],
    });
    expect(Buffer.from(BYTES).equals(await readFile(join(folder, "0.mp4")))).toBe(true);
    expect((await readdir(folder)).sort()).toEqual([".0.mp4.kept", "0.mp4"]);
    expect(host.created()).toBe(1);
  };
  const rangesAsked = () => host.asked.map(({ range }) => Number(/\d+/.exec(range ?? "")?.[0] ?? 0));
  return { host, killAt, finish, start, rangesAsked };
}

describe("a process that is killed while it downloads", () => {
  it("at each tenth of one download: each goes on where the one before was, and the file is whole", async () => {
    const { killAt, finish, rangesAsked, host } = await useDownload(true);
    for (const bytes of TENTHS) await killAt(bytes);
    await finish();
    const asked = rangesAsked();
    expect(asked).toHaveLength(TENTHS.length + 1);
    asked.slice(1).forEach((from, index) => {
      const had = TENTHS[index] ?? 0;
      expect(from).toBeLessThanOrEqual(had);
      expect(from).toBeGreaterThan(had - STEP - 1);
    });
    // The addresses outlive the process, too.
    expect(host.polled()).toBe(1);
  });

  it("at each tenth, of a server that knows no ranges: each begins anew, and the file is whole", async () => {
    const { killAt, finish, host } = await useDownload(false);
    for (const bytes of TENTHS.filter((_, tenth) => tenth % 3 === 0)) await killAt(bytes);
    await finish();
    expect(host.asked).toHaveLength(5);
  });
});
