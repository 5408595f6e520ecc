import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions } from "../index.js";
import { callbackReceiver } from "../testing/callback-receiver.js";
import { dataURL, smallPng } from "../testing/small-png.js";
import { bearer } from "../testing/start-emulator.js";
import { temporaryFolder } from "../testing/temporary-folder.js";
import type { FlatTaskBody } from "../videos/flat-task-body.js";

const DAY = 86_400_000;

function start(dataDir: string, options: EmulatorOptions = {}): Emulator {
  const emulator = createEmulator({ dataDir, seed: 1, ...options });
  onTestFinished(() => emulator.close());
  return emulator;
}

const send = (emulator: Emulator, path: string, body: unknown, key = "sk-emulator") =>
  emulator.fetch(emulator.url + path, { method: "POST", headers: bearer(key), body: JSON.stringify(body) });

const chat = (emulator: Emulator, content: string, key?: string) =>
  send(emulator, "/chat/completions", { model: "local-chat", messages: [{ role: "user", content }] }, key);

const video = async (emulator: Emulator, more: object = {}): Promise<string> => {
  const body = { model: "local-video-2.0", content: [{ type: "text", text: "a cat" }], duration: 4, ...more };
  return ((await (await send(emulator, "/videos", body)).json()) as { id: string }).id;
};

const taskOf = (emulator: Emulator, id: string) =>
  emulator.videos.list().find((task) => task.id === id) as FlatTaskBody;

describe("an emulator with a data folder", () => {
  it("goes on where the one before ended, with all that it held", async () => {
    const folder = temporaryFolder();
    const before = start(folder);
    before.models.add({ id: "gpt-4o", like: "local-chat", price: { inputTokens: 7 } });
    before.groups.add({ name: "team", models: ["gpt-4o", "local-image"] });
    before.keys.add({
      key: "sk-team",
      group: "team",
      quota: 9_000,
      rateLimit: { windowMs: 1_000, requests: 50 },
    });
    before.keys.add({ key: "sk-again", group: "team" });
    before.models.add({ id: "gone", like: "local-chat" });
    before.groups.add({ name: "gone", models: [] });
    await (await chat(before, "what was changed so far is written")).text();
    before.keys.remove("sk-emulator");
    before.models.remove("gone");
    before.groups.remove("gone");
    // What goes and comes back at once is the last of all.
    before.keys.remove("sk-team");
    before.keys.add({
      key: "sk-team",
      group: "team",
      quota: 9_000,
      rateLimit: { windowMs: 1_000, requests: 50 },
    });
    before.faults.add({ kind: "status", path: "/none", times: 3 });
    before.faults.add({ kind: "status", path: "/chat/completions", times: 3, status: 503 });
    before.faults.clear("fault-1");
    before.replies.add({ when: { text: /^ping/i }, reply: "pong", times: 2 });
    before.replies.add({ when: { text: "/plain/" }, reply: null });
    const ask = (emulator: Emulator, content: string) =>
      send(
        emulator,
        "/chat/completions",
        { model: "gpt-4o", messages: [{ role: "user", content }] },
        "sk-team",
      );
    expect(await (await ask(before, "one")).text()).toContain("error");
    expect(await (await ask(before, "two")).text()).toContain("error");
    expect(await (await ask(before, "three")).text()).toContain("error");
    expect(await (await ask(before, "PING")).text()).toContain("pong");
    before.faults.add({ kind: "status", times: 5, path: "/embeddings" });
    await (await send(before, "/embeddings", { model: "gpt-4o", input: "" }, "sk-team")).text();
    await (await send(before, "/embeddings", { model: "gpt-4o", input: "" }, "sk-team")).text();
    await before.clock.advance(3 * DAY);
    const held = before.state.export();
    const [total, calls] = [before.ledger.total(), before.journal.list()];
    await before.close();

    const after = start(folder);
    expect(after.state.export()).toEqual(held);
    expect(JSON.stringify(after.state.export())).toBe(JSON.stringify(held));
    expect([after.ledger.total(), after.journal.list()]).toEqual([total, calls]);
    expect(total.units).toBeGreaterThan(0);
    expect(after.keys.list().map(({ key }) => key)).toEqual(["sk-again", "sk-team"]);
    expect(after.clock.now()).toBeGreaterThanOrEqual(Date.now() + 3 * DAY - 1);
    expect(after.journal.get(calls[4]?.id ?? "")?.response.text).toContain("pong");
    // Counts go on, too: of ids, of what is left, and of what was used.
    expect(after.faults.add({ kind: "html" })).toBe("fault-4");
    expect(after.faults.list()[0]).toMatchObject({ id: "fault-3", left: 3 });
    after.faults.clear();
    expect(await (await ask(after, "ping")).text()).toContain("pong");
    expect(await (await ask(after, "ping")).text()).not.toContain("pong");
    expect(await (await ask(after, "say /plain/ now")).text()).toContain("null");
    expect(after.ledger.list().at(-1)?.id).toBe("ledger-5");
  });

  it("has tasks go on by the time that passed meanwhile, each step at its own", async () => {
    const folder = temporaryFolder();
    const videoTimings = { queuedMs: DAY / 2, runningMs: DAY / 2 };
    const before = start(folder, { videoTimings });
    const ids = [
      await video(before),
      await video(before, { content: [{ type: "text", text: "a cat [[fail]]" }] }),
      await video(before, { content: [{ type: "text", text: "a cat [[stuck]]" }] }),
    ];
    const [first = "", second = "", third = ""] = ids;
    await before.clock.advance((DAY * 3) / 4);
    expect(taskOf(before, first).status).toBe("running");
    const timelines = ids.map((id) => before.videos.timeline(id));
    const charged = before.ledger.total().units;
    await before.close();
    // As if hours had passed until the next start.
    const file = join(folder, "state.jsonl");
    const text = readFileSync(file, "utf8");
    const [, ahead = ""] = /"clock",\{"aheadMs":(\d+)\}/g.exec(text.slice(text.lastIndexOf('"clock"'))) ?? [];
    writeFileSync(file, text.replaceAll(`"aheadMs":${ahead}`, `"aheadMs":${Number(ahead) + (DAY * 3) / 4}`));

    const after = start(folder, { videoTimings });
    expect(ids.map((id) => taskOf(after, id).status)).toEqual(["succeeded", "failed", "running"]);
    const endsAt = (timelines[0]?.[0]?.time ?? 0) + DAY;
    expect(after.videos.timeline(first)).toEqual([
      ...(timelines[0] ?? []),
      { status: "succeeded", time: endsAt },
    ]);
    // What failed is refunded, at its own time.
    expect(after.ledger.total().units).toBeLessThan(charged);
    const failedAt = (timelines[1]?.[0]?.time ?? 0) + DAY;
    const [refund] = after.ledger.list({ kind: "refund" });
    expect(refund).toMatchObject({ taskId: second, time: failedAt });
    expect(after.clock.nextAt()).toBe((timelines[2]?.[0]?.time ?? 0) + 172_800_000);
    await after.clock.advance(DAY);
    expect(taskOf(after, third).status).toBe("expired");
  });

  it("delivers callbacks that were still to be tried again", async () => {
    let status = 500;
    const { url, bodies } = await callbackReceiver(() => status);
    const folder = temporaryFolder();
    const before = start(folder);
    await video(before, { callback_url: url });
    await before.clock.advance(500);
    const delivery = before.callbacks.list()[0];
    expect(delivery).toMatchObject({ delivered: false, attempts: [{ status: 500 }] });
    await before.close();
    status = 200;

    const after = start(folder);
    expect(after.callbacks.list()[0]).toMatchObject({ id: delivery?.id, attempts: [{ status: 500 }] });
    await after.clock.advance(60_000);
    const running = after.callbacks.list().find(({ id }) => id === delivery?.id);
    expect(running).toMatchObject({ delivered: true, attempts: [{ status: 500 }, { status: 200 }] });
    expect(bodies.filter((body) => (body as FlatTaskBody).status === "running")).toHaveLength(2);
    expect(bodies.at(-1)).toMatchObject({ status: "succeeded" });
    await after.close();

    const again = start(folder);
    await again.clock.advance(60_000);
    expect(again.callbacks.list()).toEqual(after.callbacks.list());
  });

  it("tries a callback again whose answer it did not live to see", async () => {
    let heard = () => {};
    const arrived = new Promise<void>((resolve) => {
      heard = resolve;
    });
    const silent = createServer((request) => {
      request.resume();
      heard();
    });
    await new Promise<void>((resolve) => void silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const before = start(temporaryFolder());
    await video(before, { callback_url: url });
    const advanced = before.clock.advance(500);
    await arrived;
    const text = JSON.stringify(before.state.export());
    await before.close();
    await advanced;

    const { url: other, bodies } = await callbackReceiver(() => 200);
    const after = createEmulator({ state: JSON.parse(text.replaceAll(url, other)) });
    onTestFinished(() => after.close());
    expect(after.callbacks.list()).toMatchObject([{ delivered: false, attempts: [{ status: null }] }]);
    await after.clock.advance(1_000);
    expect(after.callbacks.list()[0]).toMatchObject({
      delivered: true,
      attempts: [{ status: null }, { status: 200 }],
    });
    expect(bodies).toHaveLength(1);
  });

  it("keeps that tasks were cancelled, or forgotten", async () => {
    const folder = temporaryFolder();
    const profile = "ark";
    const before = start(folder, { profile });
    const ids = [await video(before), await video(before), await video(before)];
    const path = (id: string) => `${new URL(before.url).origin}/api/v3/contents/generations/tasks/${id}`;
    const remove = async (id: string) => {
      const init = { method: "DELETE", headers: bearer("sk-emulator") };
      await (await before.fetch(path(id), init)).text();
    };
    const [cancelled = "", forgotten = "", kept = ""] = ids;
    await remove(cancelled);
    await before.clock.advance(60_000);
    await remove(forgotten);
    expect(before.videos.list({ status: "cancelled" })).toHaveLength(1);
    const held = before.state.export();
    await before.close();
    const after = start(folder, { profile });
    expect(after.state.export()).toEqual(held);
    expect(after.videos.list().map((task) => ("id" in task ? task.id : ""))).toEqual([cancelled, kept]);
  });

  it("keeps as much of the ledger and the journal as it shows", async () => {
    const folder = temporaryFolder();
    const before = start(folder, { journal: { bodies: "none" }, pace: "whole" });
    const body = { model: "local-embedding", input: "a", dimensions: 64 };
    for (let index = 0; index < 10_005; index++)
      await (await send(before, "/embeddings", body)).arrayBuffer();
    const held = before.state.export();
    expect([(held["ledger"] as []).length, (held["journal"] as []).length]).toEqual([10_000, 1_000]);
    await before.close();
    const after = start(folder);
    expect(JSON.stringify(after.state.export())).toBe(JSON.stringify(held));
    expect(after.ledger.total().calls).toBe(10_005);
  }, 60_000);

  it("has links that were made before lead to the same bytes, made of inputs that are kept", async () => {
    const folder = temporaryFolder();
    const before = start(folder);
    const picture = dataURL(smallPng());
    const padded = `${picture.slice(0, picture.indexOf(",") + 1)}${Buffer.concat([
      Buffer.from(picture.slice(picture.indexOf(",") + 1), "base64"),
      Buffer.alloc(90_000),
    ]).toString("base64")}`;
    const image = { model: "local-image", prompt: "a fox", size: "512x512", output_format: "png" };
    const made = await (await send(before, "/images/generations", { ...image, image: padded })).json();
    const first = (made as { data: [{ url: string }] }).data[0].url;
    const next = await (await send(before, "/images/generations", { ...image, image: first })).json();
    const second = (next as { data: [{ url: string }] }).data[0].url;
    const chatted = await send(before, "/chat/completions", {
      model: "local-chat-image",
      messages: [{ role: "user", content: [{ type: "text", text: "a red fox [[as:url]]" }] }],
      metadata: { quality: "low" },
    });
    const third = /http:[^"\s)]+\/files\/[^"\s)]+/.exec(await chatted.text())?.[0] ?? "";
    const hashesOf = (emulator: Emulator) =>
      Promise.all(
        [first, second, third].map(async (url) => {
          const response = await emulator.fetch(url);
          const bytes = Buffer.from(await response.arrayBuffer());
          return [response.status, createHash("sha256").update(bytes).digest("hex")];
        }),
      );
    await before.close();

    const after = start(folder);
    const rendered = await hashesOf(after);
    expect(rendered.map(([status]) => status)).toEqual([200, 200, 200]);
    const copy = createEmulator({ seed: 9, state: after.state.export() });
    onTestFinished(() => copy.close());
    // Without the folder they are made anew.
    expect(await hashesOf(copy)).toEqual(rendered);
    expect(new Set(rendered.map(String)).size).toBe(3);
    expect(readdirSync(join(folder, "files")).length).toBeGreaterThan(0);
    expect(readdirSync(join(folder, "media"))).toHaveLength(3);
  }, 60_000);

  it("keeps of the journal what it is told to, and no more bytes than it may", async () => {
    const folder = temporaryFolder();
    const before = start(folder, { journal: { maxBytes: 30_000 } });
    for (const letter of ["a", "b", "c"]) await (await chat(before, letter.repeat(12_000))).text();
    const dropped = before.journal.list().map(({ id }) => before.journal.get(id)?.dropped);
    expect(dropped).toEqual([true, false, false]);
    await before.close();

    // Room that comes later brings nothing back.
    const after = start(folder, { journal: { maxBytes: 60_000 } });
    expect(after.journal.list().map(({ id }) => after.journal.get(id)?.dropped)).toEqual(dropped);
    const form = new FormData();
    form.set("prompt", "a hat");
    form.append("image", new File([smallPng()], "a.png", { type: "image/png" }));
    form.set("size", "nonsense");
    const headers = bearer("sk-emulator");
    await (await after.fetch(`${after.url}/images/edits`, { method: "POST", headers, body: form })).text();
    const sent = after.journal.get(after.journal.list().at(-1)?.id ?? "");
    await after.close();

    const small = start(folder, { journal: { maxBytes: 5_000 } });
    const calls = small.journal.list().map(({ id }) => small.journal.get(id));
    expect(calls.map((call) => call?.dropped)).toEqual([true, true, true, false]);
    expect(calls[3]).toEqual(sent);
    small.journal.clear();
    await small.close();
    expect(start(folder).journal.list()).toEqual([]);
  });

  it("adds what its options name where it is not there, and leaves what is there", async () => {
    const folder = temporaryFolder();
    const replies = [
      { when: { text: "one" }, reply: "1", times: 1 },
      { when: { text: "two" }, reply: () => "2" },
    ];
    const before = start(folder, { keys: [{ key: "sk-a", quota: 5 }], replies });
    before.replies.add({ when: { text: "three" }, reply: "3" });
    before.replies.add({ when: { text: "four" }, reply: () => "4" });
    expect(await (await chat(before, "one")).text()).toContain('"1"');
    before.keys.update("sk-a", { quota: 7 });
    before.keys.remove("sk-emulator");
    await before.close();

    const after = start(folder, {
      keys: [{ key: "sk-a", quota: 5 }, { key: "sk-b" }],
      models: [{ id: "gpt", like: "local-chat" }],
      groups: [{ name: "team", models: ["gpt"] }],
      replies: [{ when: { text: "zero" }, reply: "0" }, ...replies],
    });
    expect(after.keys.list()).toEqual([
      { key: "sk-a", group: "default", quota: 7 },
      { key: "sk-b", group: "default" },
    ]);
    expect(after.groups.list().at(-1)).toEqual({ name: "team", models: ["gpt"] });
    // Code of the process before is gone; that of options is there again.
    expect(after.replies.list().map(({ when, used }) => [when?.text, used])).toEqual([
      ["zero", 0],
      ["one", 1],
      ["two", 0],
      ["three", 0],
    ]);
    expect(await (await chat(after, "two", "sk-b")).text()).toContain('"2"');
    await after.close();
    // What options no longer name goes; what was added stays.
    expect(
      start(folder)
        .replies.list()
        .map(({ id, when }) => [id, when?.text]),
    ).toEqual([["reply-3", "three"]]);
  });

  it("returns after a restart, too, to what was imported", async () => {
    const folder = temporaryFolder();
    const source = createEmulator({ keys: [{ key: "sk-imported" }] });
    await (await chat(source, "hello", "sk-imported")).text();
    const state = source.state.export();
    await source.close();
    const before = start(folder);
    before.state.import(state);
    before.keys.remove("sk-imported");
    await before.close();

    const after = start(folder);
    expect(after.keys.list()).toHaveLength(1);
    after.reset();
    expect(after.state.export()).toEqual(state);
    await after.close();
    expect(start(folder).state.export()).toEqual(state);
  });

  it("begins with a given state only while its folder is new", async () => {
    const folder = temporaryFolder();
    const source = createEmulator({ keys: [{ key: "sk-given" }] });
    const state = source.state.export();
    await source.close();
    const first = start(folder, { state });
    expect(first.keys.list()).toHaveLength(2);
    first.keys.remove("sk-given");
    await first.close();
    const second = start(folder, { state });
    expect(second.keys.list()).toHaveLength(1);
    second.reset();
    expect(second.keys.list()).toHaveLength(2);
  });

  it("is alone in it, and lets go of it", async () => {
    const folder = temporaryFolder();
    const first = start(folder);
    expect(() => createEmulator({ dataDir: folder })).toThrow(
      "two emulators would overwrite each other's state",
    );
    await first.close();
    await first.close();
    const second = start(folder);
    first.keys.add({ key: "sk-late" });
    first.reset();
    expect(second.keys.list()).toHaveLength(1);
    expect(() => createEmulator({ dataDir: folder })).toThrow("is in use");
  });

  it("says before it serves that the folder cannot be used", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "file"), "");
    expect(() => createEmulator({ dataDir: join(folder, "file", "inside") })).toThrow(
      /The data folder .* cannot be used \(.*\)\. Nothing of the emulator's state would be kept/,
    );
    mkdirSync(join(folder, "odd", "state.jsonl"), { recursive: true });
    expect(() => createEmulator({ dataDir: join(folder, "odd") })).toThrow("cannot be used");
    // It is free again for who can.
    expect(readdirSync(join(folder, "odd")).sort()).toEqual(["files", "state.jsonl"]);
  });

  it("names what in the folder makes no sense, and leaves it as it is", async () => {
    const folder = temporaryFolder();
    await start(folder, { keys: [{ key: "sk-a", group: "default" }] }).close();
    const file = join(folder, "state.jsonl");
    const text = readFileSync(file, "utf8").replace('"sk-a","group":"default"', '"sk-a","group":"none"');
    writeFileSync(file, text);
    expect(() => createEmulator({ dataDir: folder })).toThrow(
      /The state in the data folder .* cannot be read: keys\[1\] makes no sense: The token group "none" is unknown/,
    );
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(readdirSync(folder)).not.toContain("lock");
  });

  it("tells options that make no sense from a state that makes none", async () => {
    const folder = temporaryFolder();
    await start(folder).close();
    const models = [{ id: "gpt", like: "none" }];
    expect(() => createEmulator({ dataDir: folder, models })).toThrow(
      /^The model "gpt" cannot be like "none"/,
    );
    expect(start(folder).models.list().at(-1)?.like).toBeUndefined();
  });

  it("shows it to nobody but its owner", async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const emulator = start(folder);
    emulator.snapshots.save("now");
    emulator.state.import(emulator.state.export());
    const modeOf = (...path: string[]) => statSync(join(folder, ...path)).mode & 0o777;
    expect([modeOf(), modeOf("files"), modeOf("snapshots")]).toEqual([0o700, 0o700, 0o700]);
    for (const file of ["state.jsonl", "imported.json", "lock", "snapshots/snapshot-now.json"]) {
      expect([file, modeOf(file)]).toEqual([file, 0o600]);
    }
  });

  it("writes its state anew when most of the file is of the past", async () => {
    const folder = temporaryFolder();
    const emulator = start(folder, { journal: { bodies: "none" } });
    const description = "x".repeat(50_000);
    emulator.groups.add({ name: "team", models: [] });
    const size = () => statSync(join(folder, "state.jsonl")).size;
    let largest = 0;
    for (let index = 0; index < 300; index++) {
      emulator.groups.update("team", { description: `${index}${description}` });
      await emulator.fetch(`${emulator.url}/models`, { headers: bearer("sk-emulator") });
      largest = Math.max(largest, size());
    }
    // Fifteen megabytes were written.
    expect(largest).toBeLessThan(6_000_000);
    expect(largest).toBeGreaterThan(4_000_000);
    await emulator.close();
    expect(start(folder).groups.list().at(-1)?.description).toBe(`299${description}`);
  });
});
