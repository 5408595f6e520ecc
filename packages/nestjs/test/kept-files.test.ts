import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { compileChild, startChild } from "./child.js";
import type { KeepingArgument } from "./children/keeping-application.js";
import { useFileHost } from "./file-host.js";
import { useS3Server } from "./s3-server.js";

let program: Awaited<ReturnType<typeof compileChild>>;
beforeAll(async () => {
  program = await compileChild("keeping-application");
});
afterAll(() => program.remove());

const BYTES = Uint8Array.from({ length: 5_000_000 }, (_, index) => (index * 31) % 257);
const TENTHS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((tenth) => (tenth * BYTES.length) / 10);
/** At least so much of what has arrived outlives a process, in steps. */
const STEP = 2 ** 20;
const KEY = "default/order-1/0.mp4";
const WAIT = { timeout: 60_000 };
/** Ten starts of an application, one after the other. */
const TEN_STARTS_MS = 240_000;

async function useDownload({
  ranges = true,
  bucket,
}: Pick<KeepingArgument, "bucket"> & { ranges?: boolean }) {
  const host = await useFileHost(BYTES, { ranges });
  const directory = await mkdtemp(join(tmpdir(), "kept-files-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const files = join(directory, "files");
  const start = () => {
    const argument: KeepingArgument = {
      ...host.connection,
      ...{ directory, key: "order-1" },
      ...(bucket !== undefined && { bucket }),
    };
    return startChild(program.file, argument);
  };
  const found = () => readdir(files, { recursive: true }).catch(() => []);
  /** Bytes of the file that are on disk, under the name for what is on its way. */
  const arrived = async () => {
    const part = (await found()).find((name) => name.endsWith(".part"));
    if (part === undefined) return -1;
    return stat(join(files, part)).then(
      ({ size }) => size,
      () => -1,
    );
  };
  const kill = async (child: ReturnType<typeof start>) => {
    child.process.kill("SIGKILL");
    expect(await child.exit).toBe("SIGKILL");
  };
  /** Runs a process until so many bytes have arrived, and kills it. */
  const killAt = async (bytes: number) => {
    const before = host.asked.length;
    host.allow(bytes);
    const child = start();
    await expect.poll(() => host.asked.length, WAIT).toBe(before + 1);
    await expect.poll(arrived, WAIT).toBe(bytes);
    await kill(child);
    expect(await found()).not.toContain(KEY);
  };
  /** Runs a process until the video has succeeded. */
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
          key: KEY,
          contentType: "video/mp4",
          length: BYTES.length,
          sha256: host.sha256,
          origin: "task-1",
        },
      ],
    });
    expect(host.created()).toBe(1);
    // The addresses outlive the process, too.
    expect(host.polled()).toBe(1);
  };
  /** Where each download went on. */
  const expectGoneOn = () => {
    const asked = host.asked.map(({ range }) => Number(/\d+/.exec(range ?? "")?.[0] ?? 0));
    expect(asked).toHaveLength(TENTHS.length + 1);
    asked.slice(1).forEach((from, index) => {
      const had = TENTHS[index] ?? 0;
      expect(from).toBeLessThanOrEqual(had);
      expect(from).toBeGreaterThan(had - STEP - 1);
    });
  };
  return { host, files, found, start, kill, killAt, finish, expectGoneOn };
}

describe("a process that is killed while it downloads into a folder", () => {
  const expectWhole = async (files: string) => {
    expect(Buffer.from(BYTES).equals(await readFile(join(files, KEY)))).toBe(true);
    expect((await readdir(join(files, "default/order-1"))).sort()).toEqual([".0.mp4.kept", "0.mp4"]);
  };

  it(
    "at each tenth of one download: each goes on where the one before was, and the file is whole",
    async () => {
      const { killAt, finish, files, expectGoneOn } = await useDownload({});
      for (const bytes of TENTHS) await killAt(bytes);
      await finish();
      await expectWhole(files);
      expectGoneOn();
    },
    TEN_STARTS_MS,
  );

  it("at each tenth, of a server that knows no ranges: each begins anew, and the file is whole", async () => {
    const { killAt, finish, files, host } = await useDownload({ ranges: false });
    for (const bytes of TENTHS.filter((_, tenth) => tenth % 3 === 0)) await killAt(bytes);
    await finish();
    await expectWhole(files);
    expect(host.asked).toHaveLength(5);
  });
});

describe("a process that is killed while it keeps a file in a bucket", () => {
  const useBucket = async () => {
    const server = await useS3Server();
    const download = await useDownload({ bucket: server.options });
    const finish = async () => {
      await download.finish();
      expect([...server.objects.keys()]).toEqual([KEY]);
      expect(server.objects.get(KEY)?.bytes.equals(Buffer.from(BYTES))).toBe(true);
      expect((await download.found()).filter((name) => name.includes(".part"))).toEqual([]);
    };
    return { ...download, server, finish };
  };

  it(
    "at each tenth of its download: each goes on where the one before was, and nothing shows up before",
    async () => {
      const { server, killAt, finish, expectGoneOn } = await useBucket();
      for (const bytes of TENTHS) {
        await killAt(bytes);
        expect(server.objects.size).toBe(0);
      }
      await finish();
      expectGoneOn();
      expect(server.asked.filter((line) => line.startsWith("PUT"))).toHaveLength(1);
    },
    TEN_STARTS_MS,
  );

  it(
    "at each tenth of its way to the bucket: it is sent anew, without being asked for",
    async () => {
      const { server, host, start, kill, finish } = await useBucket();
      for (const bytes of TENTHS) {
        let come: () => void = () => {};
        const there = new Promise<void>((resolve) => {
          come = resolve;
        });
        server.intrudeWith((request) => {
          if (request.method !== "PUT") return undefined;
          let taken = 0;
          if (bytes === 0) come();
          request.on("data", (chunk: Buffer) => {
            taken += chunk.length;
            if (taken >= bytes) come();
            if (taken >= bytes) request.pause();
          });
          return "answered";
        });
        const child = start();
        await there;
        await kill(child);
        expect(server.objects.size).toBe(0);
      }
      server.intrudeWith(undefined);
      await finish();
      expect(host.asked).toHaveLength(1);
    },
    TEN_STARTS_MS,
  );

  it("after the bucket has it, and before the record says so: it is neither asked for nor sent again", async () => {
    const { server, host, start, kill, finish } = await useBucket();
    let come: () => void = () => {};
    const there = new Promise<void>((resolve) => {
      come = resolve;
    });
    server.intrudeWith((request) => {
      if (request.method !== "HEAD" || server.objects.size === 0) return undefined;
      come();
      return "answered";
    });
    const child = start();
    await there;
    await kill(child);
    server.intrudeWith(undefined);
    await finish();
    expect(host.asked).toHaveLength(1);
    expect(server.asked.filter((line) => line.startsWith("PUT"))).toHaveLength(1);
  });
});
