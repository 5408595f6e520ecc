import { spawn } from "node:child_process";
import { mkdir, readdir, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator } from "../index.js";
import { newFolder, readAll, recordFrom, serve } from "../testing/record-calls.js";
import { errorOf, startEmulator } from "../testing/start-emulator.js";

const RECORDING = {
  version: 1,
  request: { method: "GET", path: "/v1/models" },
  response: { status: 200, headers: {}, headMs: 1, json: {}, end: "close" },
};

/** A folder with one file. */
async function folderWith(content: unknown, name = "get-models-1.json"): Promise<string> {
  const dir = await newFolder();
  await mkdir(dirname(join(dir, name)), { recursive: true });
  await writeFile(join(dir, name), typeof content === "string" ? content : JSON.stringify(content, null, 2));
  return dir;
}

const answering = () => serve((_request, response) => response.end('{"a":1}'));

describe("a recording", () => {
  it("that people have changed is taken as it is, and read anew each time", async () => {
    const dir = await folderWith(RECORDING, "any-name.json");
    const { get } = await startEmulator({ replay: { dir } });
    expect(await (await get("/models")).text()).toBe("{}");
    const changed = { ...RECORDING, response: { ...RECORDING.response, json: { mine: [1] } } };
    await writeFile(join(dir, "any-name.json"), JSON.stringify(changed));
    expect(await (await get("/models")).text()).toBe('{"mine":[1]}');
    await writeFile(join(dir, "any-name.json"), "{");
    expect(await errorOf(await get("/models"))).toMatchObject({
      ...{ status: 500, code: "broken_recording" },
      message: expect.stringContaining("any-name.json:1 The recording is broken"),
    });
  });

  it.each<[string, unknown, string]>([
    ["no JSON", '{\n  "version": 1,\n  "request": {,\n}', "1.json:3 The recording is broken: "],
    ["cut off", '{\n  "version": 1,\n  "request"', "1.json:3 The recording is broken: "],
    ["empty", "", "1.json:1 The recording is broken: "],
    ["a list", "[]", "1.json:1 A recording is a JSON object."],
    ["of no version", { ...RECORDING, version: undefined }, "1.json:1 version is required"],
    [
      "of a later version",
      { ...RECORDING, version: 2, more: 1 },
      "is of version 2; this emulator reads up to 1. Update it",
    ],
    ["of a kind of its own", { ...RECORDING, more: 1 }, "1.json:14 more is unknown here"],
    ["without an answer", { ...RECORDING, response: undefined }, "must hold either a response or a failure"],
    [
      "with a status that is none",
      { ...RECORDING, response: { ...RECORDING.response, status: 99 } },
      "1.json:8 response.status must be an integer from 200 to 599",
    ],
    [
      "with headers that are none",
      { ...RECORDING, response: { ...RECORDING.response, headers: { "a b": "c" } } },
      "1.json:9 response.headers must be headers",
    ],
    [
      "with an event at no time",
      {
        ...RECORDING,
        response: { ...RECORDING.response, json: undefined, events: [{ atMs: 1 }, { atMs: -1 }] },
      },
      "1.json:17 response.events[1].atMs must be a number from 0",
    ],
    ...["../../secret.png", "/etc/passwd", "a/b.png", "..", ".env", "a\\b.png", "a.png\u0000", ""].map(
      (file): [string, unknown, string] => [
        `that names the file ${JSON.stringify(file)}`,
        { ...RECORDING, response: { ...RECORDING.response, json: undefined, file } },
        "names a file that cannot lie beside it",
      ],
    ),
    [
      "that names such a file within JSON",
      { ...RECORDING, response: { ...RECORDING.response, json: [{ $parts: [{ file: "../x.png" }] }] } },
      'names a file that cannot lie beside it: "../x.png"',
    ],
    [
      "that names no file where one belongs",
      { ...RECORDING, response: { ...RECORDING.response, json: { $parts: [null, 7] } } },
      "names a file that cannot lie beside it: undefined",
    ],
  ])("%s is refused before anything is answered", async (_what, content, message) => {
    const dir = await folderWith(content);
    expect(() => createEmulator({ replay: { dir } })).toThrow(message);
  });

  it("that leads elsewhere is not followed", async () => {
    const dir = await folderWith({
      ...RECORDING,
      response: { ...RECORDING.response, json: undefined, file: "a.bin" },
    });
    await writeFile(join(dir, "..", "secret"), "secret");
    await symlink(join(dir, "..", "secret"), join(dir, "a.bin"));
    const { get } = await startEmulator({ replay: { dir } });
    const { status, message } = await errorOf(await get("/models"));
    expect([status, message]).toEqual([
      500,
      expect.stringContaining("a.bin is no file, or leads to another"),
    ]);
    await symlink(join(dir, "..", "secret"), join(dir, "b.json"));
    expect(() => createEmulator({ replay: { dir } })).toThrow("b.json is no file, or leads to another");
  });

  it("that is huge is refused unread", async () => {
    const dir = await folderWith(RECORDING);
    await truncate(join(dir, "get-models-1.json"), 300 * 1_024 * 1_024);
    expect(() => createEmulator({ replay: { dir } })).toThrow("has 314572800 bytes; recordings have at most");
  });

  it("among many broken ones is told with them, but not with all", async () => {
    const dir = await folderWith(RECORDING);
    for (let file = 0; file < 9; file++) await writeFile(join(dir, `${file}.json`), "{");
    expect(() => createEmulator({ replay: { dir } })).toThrow(/4\.json:1 .*\nand 4 more$/);
  });
});

describe("a folder", () => {
  it("without recordings is not replayed", async () => {
    const dir = await newFolder();
    expect(() => createEmulator({ replay: { dir } })).toThrow("There is no folder");
    await mkdir(dir);
    expect(() => createEmulator({ replay: { dir } })).toThrow("There are no recordings in");
  });

  it.each([
    [{ record: { dir: "a" } }, "record needs an upstream"],
    [
      { replay: { dir: "a" }, upstream: { baseURL: "http://a.test/v1" } },
      "replay and upstream exclude each other",
    ],
    [
      { replay: { dir: "a" }, record: { dir: "a" }, upstream: { baseURL: "http://a.test/v1" } },
      "replay and record exclude each other",
    ],
    [{ replay: { dir: "a", timeScale: -1 } }, "replay.timeScale must be a number"],
    [{ replay: { dir: "a", exhausted: "never" as "miss" } }, "replay.exhausted must be again or miss"],
  ])("is not used as %j says", (options, message) => {
    expect(() => createEmulator(options)).toThrow(message);
  });

  it("is recorded to by one emulator at a time, and by the next after it", async () => {
    const dir = await newFolder();
    const baseURL = await answering();
    const { emulator, get } = await recordFrom(baseURL, dir);
    expect(() => createEmulator({ upstream: { baseURL }, record: { dir } })).toThrow(
      `is recorded to by another emulator (process ${process.pid})`,
    );
    await (await get("/models")).text();
    await emulator.close();
    const next = await recordFrom(baseURL, dir);
    expect(next.emulator.recordings.unused()).toHaveLength(1);
    await (await next.get("/models")).text();
    expect(next.emulator.recordings.unused()).toEqual([]);
    await next.emulator.close();
    expect((await readdir(dir)).filter((name) => !name.endsWith(".json"))).toEqual([]);
  });

  it("is not taken from another process, but from one that is no more", async () => {
    const dir = await folderWith(RECORDING);
    const baseURL = await answering();
    const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    onTestFinished(() => {
      other.kill("SIGKILL");
    });
    await writeFile(join(dir, ".recording-lock"), String(other.pid));
    expect(() => createEmulator({ upstream: { baseURL }, record: { dir } })).toThrow(
      `(process ${other.pid})`,
    );
    const ended = new Promise((resolve) => other.once("exit", resolve));
    other.kill("SIGKILL");
    await ended;
    const { emulator } = await recordFrom(baseURL, dir);
    await emulator.close();
    // A process of the same number that is this one, and records nothing.
    await writeFile(join(dir, ".recording-lock"), String(process.pid));
    const after = await recordFrom(baseURL, dir);
    await after.emulator.close();
  });

  it("that holds what is broken is not recorded to, and can be once that is gone", async () => {
    const dir = await folderWith("{");
    const baseURL = await answering();
    expect(() => createEmulator({ upstream: { baseURL }, record: { dir } })).toThrow(
      "The recording is broken",
    );
    await rm(join(dir, "get-models-1.json"));
    const { emulator } = await recordFrom(baseURL, dir);
    await emulator.close();
  });

  it("that cannot be written to is told before anything is sent", async () => {
    const dir = join(await folderWith("a file"), "get-models-1.json", "below");
    let asked = 0;
    const baseURL = await serve((_request, response) => {
      asked++;
      response.end();
    });
    expect(() => createEmulator({ upstream: { baseURL }, record: { dir } })).toThrow(
      /cannot be recorded to: ENOTDIR.*Nothing was sent, and nothing paid for\.$/,
    );
    expect(asked).toBe(0);
  });

  it("that is lost on the way costs no answer, and is told loudly", async () => {
    const dir = await newFolder();
    const { emulator, get } = await recordFrom(await answering(), dir);
    const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
    await rm(dir, { recursive: true });
    await writeFile(dir, "in its place");
    expect(await (await get("/models")).json()).toEqual({ a: 1 });
    expect(await (await get("/files")).json()).toEqual({ a: 1 });
    expect((await warned).message).toContain("The answer was given, and paid for, and is not recorded");
    await expect(emulator.close()).rejects.toThrow(
      /^2 recordings could not be written to .*; their answers were given, and paid for:\nget-models-.*ENOTDIR/,
    );
  });

  it("keeps nothing of a recording that was made anew with less beside it", async () => {
    const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(300, 7)]).toString(
      "base64",
    );
    let pictures = 2;
    const baseURL = await serve((_request, response) =>
      response.end(JSON.stringify(Array(pictures).fill(png))),
    );
    const dir = await newFolder();
    for (pictures of [2, 1]) {
      const { emulator, get } = await recordFrom(baseURL, dir);
      expect(await (await get("/pictures")).json()).toEqual(Array(pictures).fill(png));
      await emulator.close();
      expect([...(await readAll(dir)).keys()].filter((name) => name.endsWith(".png"))).toHaveLength(pictures);
      const { get: again } = await startEmulator({ replay: { dir } });
      expect(await (await again("/pictures")).json()).toEqual(Array(pictures).fill(png));
    }
  });
});
