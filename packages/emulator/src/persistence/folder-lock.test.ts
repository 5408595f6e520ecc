import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../testing/temporary-folder.js";
import { FolderLock } from "./folder-lock.js";

function lockOf(folder: string): FolderLock {
  const lock = new FolderLock(folder);
  onTestFinished(() => lock.release());
  return lock;
}

/** A process that does nothing, and its number. */
async function idleProcess() {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "spawn");
  const end = () => {
    child.kill("SIGKILL");
    return once(child, "exit");
  };
  return { pid: child.pid ?? 0, end };
}

function leave(folder: string, lock: object | string): string {
  const path = join(folder, "lock");
  writeFileSync(path, typeof lock === "string" ? lock : JSON.stringify(lock));
  return path;
}

describe("the lock of a folder", () => {
  it("is held by one, and free when that one has let go", () => {
    const folder = temporaryFolder();
    const first = lockOf(folder);
    expect(() => new FolderLock(folder)).toThrow("is in use by another emulator of this process");
    expect(() => new FolderLock(join(folder, "..", folder.split("/").at(-1) ?? ""))).toThrow("is in use");
    first.release();
    expect(readdirSync(folder)).toEqual([]);
    const second = lockOf(folder);
    // Once let go, it has no say any more.
    first.release();
    expect(existsSync(join(folder, "lock"))).toBe(true);
    expect(() => new FolderLock(folder)).toThrow("is in use");
    second.release();
  });

  it("that somebody else has taken meanwhile is left to them", () => {
    const folder = temporaryFolder();
    const lock = lockOf(folder);
    const path = leave(folder, { pid: 1, host: "elsewhere" });
    lock.release();
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ pid: 1, host: "elsewhere" });
  });

  it("names the process that holds it, and is taken over once that is gone", async () => {
    const folder = temporaryFolder();
    const { pid, end } = await idleProcess();
    leave(folder, { pid, host: hostname() });
    expect(() => new FolderLock(folder)).toThrow(`is in use by the process ${pid};`);
    await end();
    lockOf(folder);
    expect(JSON.parse(readFileSync(join(folder, "lock"), "utf8"))).toMatchObject({ pid: process.pid });
    expect(readdirSync(folder)).toEqual(["lock"]);
  });

  it.runIf(process.platform === "linux")("is not held by another process of the same number", async () => {
    const { pid } = await idleProcess();
    const folder = temporaryFolder();
    leave(folder, { pid, host: hostname(), started: "another boot/1" });
    lockOf(folder);
    const own = temporaryFolder();
    leave(own, { pid: process.pid, host: hostname(), started: "another boot/1" });
    lockOf(own);
  });

  it("is held against another copy of this code, as a thread or another module system has it", async () => {
    const folder = temporaryFolder();
    lockOf(folder);
    vi.resetModules();
    const copy = await import("./folder-lock.js");
    expect(copy.FolderLock).not.toBe(FolderLock);
    expect(() => new copy.FolderLock(folder)).toThrow("is in use by this process;");
  });

  it("of another machine counts while it gives signs of life", () => {
    const folder = temporaryFolder();
    const path = leave(folder, { pid: 1, host: "elsewhere" });
    expect(() => new FolderLock(folder)).toThrow("is in use by the process 1 of the machine elsewhere");
    utimesSync(path, 0, 0);
    lockOf(folder);
  });

  it.each(["", "{", "[]", '{"pid":"1"}', '{"pid":-1}'])(
    "that says nothing counts while it is new: %j",
    (text) => {
      const folder = temporaryFolder();
      const path = leave(folder, text);
      expect(() => new FolderLock(folder)).toThrow(`is in use by whoever wrote ${path}`);
      utimesSync(path, 0, 0);
      lockOf(folder);
    },
  );
});
