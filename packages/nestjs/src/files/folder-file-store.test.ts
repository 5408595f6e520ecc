import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { fileStoreContract } from "../testing/file-store-contract.js";
import { FolderFileStore } from "./folder-file-store.js";

async function useFolder() {
  const directory = await mkdtemp(join(tmpdir(), "files-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

const memory = (text: string, version = '"1"') => ({
  contentType: "text/plain",
  contentLength: text.length,
  version,
  body: new Blob([text]).stream(),
  bytes: async () => new TextEncoder().encode(text),
});

describe("a folder", () => {
  for (const { title, run } of fileStoreContract(
    async () => new FolderFileStore({ directory: await useFolder() }),
  )) {
    it(title, run);
  }

  it("has each file under its key, and beside it what it is", async () => {
    const directory = await useFolder();
    const store = new FolderFileStore({ directory });
    await store.keep(async () => memory("boat"), "default/order-7/0.mp4", { origin: "t" });
    expect(store.pathOf("default/order-7/0.mp4")).toBe(join(directory, "default/order-7/0.mp4"));
    expect(await readFile(store.pathOf("default/order-7/0.mp4"), "utf8")).toBe("boat");
    expect((await readdir(join(directory, "default/order-7"))).sort()).toEqual([".0.mp4.kept", "0.mp4"]);
  });

  it("does not take a file for kept that lost its end, or whose description is damaged", async () => {
    const directory = await useFolder();
    const store = new FolderFileStore({ directory });
    const again = () => store.keep(async () => memory("boat"), "a", { origin: "t" });
    await again();
    await truncate(join(directory, "a"), 2);
    expect(await store.find("a")).toBeUndefined();
    await again();
    expect(await readFile(join(directory, "a"), "utf8")).toBe("boat");
    await writeFile(join(directory, ".a.kept"), "{");
    expect(await store.find("a")).toBeUndefined();
    await again();
    expect(await store.find("a")).toMatchObject({ length: 4, origin: "t" });
  });

  it.each(["a crash before the file got its name", "a crash before its description"])(
    "asks for nothing that has arrived, after %s",
    async (which) => {
      const directory = await useFolder();
      const begun = { origin: "t", contentType: "text/plain", version: '"1"', length: 4, synced: 4 };
      await writeFile(join(directory, ".a.part"), "boat");
      await writeFile(join(directory, ".a.part.begun"), JSON.stringify(begun));
      if (which.includes("its name")) await writeFile(join(directory, ".a.kept"), '{"key":"a","length":4}');
      const store = new FolderFileStore({ directory });
      expect(await store.find("a")).toBeUndefined();
      const source = () => Promise.reject(new Error("It was asked for again."));
      expect(await store.keep(source, "a", { origin: "t" })).toMatchObject({
        length: 4,
        contentType: "text/plain",
      });
      expect(await readFile(join(directory, "a"), "utf8")).toBe("boat");
      expect((await readdir(directory)).sort()).toEqual([".a.kept", "a"]);
    },
  );

  it("takes no byte that a crash of the machine may have made up", async () => {
    const directory = await useFolder();
    const begun = { origin: "t", contentType: "text/plain", version: '"1"', length: 8, synced: 2 };
    await writeFile(join(directory, ".a.part"), `bo${"\0".repeat(20)}`);
    await writeFile(join(directory, ".a.part.begun"), JSON.stringify(begun));
    const asked: unknown[] = [];
    const store = new FolderFileStore({ directory });
    await store.keep(
      async (resume) => {
        asked.push(resume);
        return { ...memory("at trip"), contentLength: 6, body: new Blob(["attrip"]).stream(), offset: 2 };
      },
      "a",
      { origin: "t" },
    );
    expect(asked).toEqual([{ from: 2, version: '"1"' }]);
    expect(await readFile(join(directory, "a"), "utf8")).toBe("boattrip");
  });

  it("lets a process that was taken for dead destroy nothing of the one that goes on for it", async () => {
    const directory = await useFolder();
    const [dead, heir] = [new FolderFileStore({ directory }), new FolderFileStore({ directory })];
    const source = (start: string) => {
      let go = () => {};
      const gate = new Promise<void>((resolve) => {
        go = resolve;
      });
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(start)),
        pull: async (controller) => {
          await gate;
          if (start.length < 4) controller.enqueue(new TextEncoder().encode("boat".slice(start.length)));
          controller.close();
        },
      });
      return { go, open: async () => ({ ...memory("boat"), body }) };
    };
    const arrived = () => readFile(join(directory, ".a.part"), "utf8").catch(() => undefined);
    const [slow, later] = [source("boat"), source("bo")];
    const first = dead.keep(slow.open, "a", { origin: "t" }).catch((error: Error) => error.message);
    await expect.poll(arrived).toBe("boat");
    const second = heir.keep(later.open, "a", { origin: "t" });
    await expect.poll(arrived).toBe("bo");
    slow.go();
    expect(await first).toContain("Another process is keeping a file under a");
    expect(await readdir(directory)).not.toContain("a");
    later.go();
    expect((await second).length).toBe(4);
    expect(await readFile(join(directory, "a"), "utf8")).toBe("boat");
    expect((await readdir(directory)).sort()).toEqual([".a.kept", "a"]);
  });

  it("gives a process that was taken for dead what the one that went on for it has kept", async () => {
    const directory = await useFolder();
    const [dead, heir] = [new FolderFileStore({ directory }), new FolderFileStore({ directory })];
    let wake = () => {};
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode("boat"));
        wake = () => controller.close();
      },
    });
    const first = dead.keep(async () => ({ ...memory("boat"), body }), "a", { origin: "t" });
    await expect.poll(() => readFile(join(directory, ".a.part"), "utf8").catch(() => "")).toBe("boat");
    const kept = await heir.keep(async () => memory("boat"), "a", { origin: "t" });
    wake();
    expect(await first).toEqual(kept);
    expect(await readFile(join(directory, "a"), "utf8")).toBe("boat");
  });

  it("begins anew where the notes of a file on its way are damaged, or say more than there is", async () => {
    for (const note of ["{", JSON.stringify({ origin: "t", contentType: "x", length: 4, synced: 4 })]) {
      const directory = await useFolder();
      await writeFile(join(directory, ".a.part"), "zz");
      await writeFile(join(directory, ".a.part.begun"), note);
      const store = new FolderFileStore({ directory });
      await store.keep(async () => memory("boat"), "a", { origin: "t" });
      expect(await readFile(join(directory, "a"), "utf8")).toBe("boat");
    }
  });
});
