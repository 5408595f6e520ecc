import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { modelPrices } from "../index.js";
import { errorOf, startEmulator } from "../testing/start-emulator.js";

/** An emulator, and its control API as a program without our package would call it. */
async function startControlled(options: Parameters<typeof startEmulator>[0] = {}) {
  const started = await startEmulator(options);
  const root = `${new URL(started.emulator.url).origin}/_emulator`;
  const call = (method: string, path: string, body?: unknown) =>
    fetch(root + path, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
  const read = async (path: string) => (await call("GET", path)).json();
  return { ...started, call, read };
}

const video = { model: "local-video-2.0", content: [{ type: "text", text: "a boat" }] };

describe("the control API", () => {
  it("says that the emulator is there, and where, without a key", async () => {
    const { emulator, read, call } = await startControlled();
    expect(await read("/health")).toEqual({
      status: "ok",
      now: expect.any(Number),
      baseURLs: emulator.urls,
    });
    expect((await call("HEAD", "/health")).status).toBe(404);
  });

  it("adds, changes, shows and removes keys", async () => {
    const { call, get, read } = await startControlled();
    const key = { key: "sk-team", group: "auto", quota: 1_000, rateLimit: { requests: 5, windowMs: 1_000 } };
    const created = await call("POST", "/api/keys", key);
    expect([created.status, await created.json()]).toEqual([201, key]);
    expect((await get("/models", "sk-team")).status).toBe(200);
    const changed = await call("PATCH", "/api/keys/sk-team", { quota: null, disabled: true });
    expect(await changed.json()).toEqual({
      key: "sk-team",
      group: "auto",
      rateLimit: key.rateLimit,
      disabled: true,
    });
    expect((await get("/models", "sk-team")).status).toBe(401);
    expect(await read("/api/keys")).toMatchObject({ data: [{ key: "sk-emulator" }, { key: "sk-team" }] });
    expect((await call("DELETE", "/api/keys/sk-team")).status).toBe(204);
    expect((await call("GET", "/api/keys/sk-team")).status).toBe(404);
  });

  it("adds, changes, shows and removes groups", async () => {
    const { call, read } = await startControlled();
    const group = { name: "text only", rateLabel: "2x", models: ["local-chat"] };
    expect((await call("POST", "/api/groups", group)).status).toBe(201);
    const path = `/api/groups/${encodeURIComponent("text only")}`;
    const changed = await call("PATCH", path, { rateLabel: null, description: "Text" });
    expect(await changed.json()).toEqual({ name: "text only", description: "Text", models: ["local-chat"] });
    expect(((await read("/api/groups")) as { data: unknown[] }).data).toHaveLength(4);
    expect((await call("DELETE", path)).status).toBe(204);
    expect((await call("DELETE", path)).status).toBe(404);
    expect((await call("DELETE", "/api/groups/auto")).status).toBe(400);
  });

  it("jumps to what happens next, and tells when that is", async () => {
    const videoTimings = { queuedMs: 3_600_000, runningMs: 3_600_000 };
    const { call, emulator, get, post, read } = await startControlled({ videoTimings });
    expect(await read("/api/clock")).toMatchObject({ nextAt: null });
    const { id } = (await (await post("/videos", { ...video, execution_expires_after: 86_400 })).json()) as {
      id: string;
    };
    const status = async () => ((await (await get(`/videos/${id}`)).json()) as { status: string }).status;
    const seen = [await status()];
    for (let jump = 0; jump < 2; jump++) {
      const { nextAt } = (await read("/api/clock")) as { nextAt: number };
      expect(nextAt).toBe(emulator.clock.nextAt());
      const { now } = (await (await call("POST", "/api/clock", { next: true })).json()) as { now: number };
      expect(now).toBeGreaterThanOrEqual(nextAt);
      seen.push(await status());
    }
    expect(seen).toEqual(["queued", "running", "succeeded"]);
    expect((await call("POST", "/api/clock", { next: true })).status).toBe(200);
    expect((await call("POST", "/api/clock", { next: false })).status).toBe(400);
  });

  it("moves the clock, and answers when everything due has run", async () => {
    const { call, emulator, get, post, read } = await startControlled();
    const { id } = (await (await post("/videos", video)).json()) as { id: string };
    const { now } = (await (await call("POST", "/api/clock", { advanceMs: 60_000 })).json()) as {
      now: number;
    };
    expect(await (await get(`/videos/${id}`)).json()).toMatchObject({ status: "succeeded" });
    expect(((await read("/api/clock")) as { now: number }).now).toBeGreaterThanOrEqual(now);
    await call("POST", "/api/clock", { setMs: Date.UTC(2001, 0, 2) });
    expect(new Date(emulator.clock.now()).getUTCFullYear()).toBe(2001);
  });

  it("puts faults in force and lifts them, with their keys masked", async () => {
    const { call, get, read } = await startControlled();
    const fault = { kind: "status", status: 503, key: "sk-secret-0123456789", times: 2 };
    const created = await call("POST", "/api/faults", fault);
    expect(await created.json()).toEqual({ id: "fault-1", ...fault, key: "sk-…6789", left: 2 });
    await call("POST", "/api/faults", { kind: "status", status: 502 });
    expect((await get("/models")).status).toBe(502);
    expect((await call("DELETE", "/api/faults/fault-2")).status).toBe(204);
    expect((await get("/models")).status).toBe(200);
    expect(await read("/api/faults")).toMatchObject({ data: [{ id: "fault-1" }] });
    await call("DELETE", "/api/faults");
    expect(await read("/api/faults")).toEqual({ data: [] });
  });

  it("shows the journal of the gateway, in which it does not stand itself", async () => {
    const { call, get, read } = await startControlled();
    await get("/models");
    await get("/nowhere");
    expect(await read("/api/journal?status=404&method=GET")).toMatchObject({ data: [{ path: "/nowhere" }] });
    expect(((await read("/api/journal")) as { data: unknown[] }).data).toHaveLength(2);
    expect((await call("DELETE", "/api/journal")).status).toBe(204);
    expect(await read("/api/journal")).toEqual({ data: [] });
  });

  it("ends video tasks, and shows and repeats their callbacks", async () => {
    let notices = 0;
    const receiver = createServer((_, response) => {
      notices++;
      response.end();
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => receiver.once("listening", resolve));
    onTestFinished(() => void receiver.close());
    const callback_url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const { call, post, read } = await startControlled();
    const create = async (more = {}) =>
      ((await (await post("/videos", { ...video, ...more })).json()) as { id: string }).id;
    const [first, second] = [await create({ callback_url }), await create()];

    const succeeded = await call("POST", `/api/tasks/${first}/succeed`);
    expect(await succeeded.json()).toMatchObject({ id: first, status: "succeeded" });
    const failed = await call("POST", `/api/tasks/${second}/fail`, { message: "No boats today." });
    expect(await failed.json()).toMatchObject({ status: "failed", error: { message: "No boats today." } });
    expect(await read("/api/tasks?status=failed")).toMatchObject({ data: [{ id: second }] });
    expect(await read(`/api/tasks/${first}`)).toMatchObject({ id: first });
    expect((await call("POST", `/api/tasks/${second}/succeed`)).status).toBe(400);
    expect((await call("POST", `/api/tasks/${await create()}/fail`)).status).toBe(200);

    const { data } = (await read(`/api/callbacks?taskId=${first}&delivered=true`)) as {
      data: { id: string }[];
    };
    expect(data).toMatchObject([{ taskId: first, delivered: true }]);
    const resent = await call("POST", `/api/callbacks/${data[0]?.id}/resend`);
    expect(await resent.json()).toMatchObject({ attempts: [{ status: 200 }, { status: 200 }] });
    expect(notices).toBe(2);
  });

  it("shows the ledger, its sum, and the prices", async () => {
    const { post, read } = await startControlled();
    await post("/embeddings", { model: "local-embedding", input: "one" });
    await post("/videos", video);
    expect(await read("/api/ledger?endpoint=/embeddings")).toMatchObject({
      data: [{ model: "local-embedding", key: "sk-…" }],
    });
    expect(await read("/api/ledger/total?key=sk-emulator")).toMatchObject({ calls: 2 });
    expect(await read("/api/ledger/total?key=sk-other")).toEqual({ calls: 0, units: 0, amount: 0 });
    expect(await read("/api/ledger/prices")).toEqual(modelPrices);
  });

  it("resets everything", async () => {
    const { call, emulator, post } = await startControlled();
    await post("/videos", video);
    await call("POST", "/api/keys", { key: "sk-team", group: "auto" });
    expect((await call("POST", "/api/reset")).status).toBe(204);
    expect(emulator.videos.list()).toEqual([]);
    expect(emulator.keys.list()).toHaveLength(1);
  });

  it("hands out its state, keys whole, and takes one in its place", async () => {
    const { call, emulator, post } = await startControlled();
    await (await post("/embeddings", { model: "local-embedding", input: "one" })).text();
    const exported = await call("GET", "/api/state");
    expect(exported.headers.get("cache-control")).toBe("no-store");
    const state = await exported.json();
    expect(state).toMatchObject({
      version: 1,
      keys: [{ key: "sk-emulator" }],
      ledger: [{ owner: "sk-emulator" }],
    });
    const other = await startControlled({ keys: [{ key: "sk-other" }] });
    expect((await other.call("PUT", "/api/state", state)).status).toBe(204);
    expect(await other.read("/api/state")).toEqual(state);
    expect(other.emulator.ledger.total()).toEqual(emulator.ledger.total());
    await other.call("POST", "/api/keys", { key: "sk-late" });
    await other.call("POST", "/api/reset");
    expect(await other.read("/api/state")).toEqual(state);
  });

  it("saves, lists, restores and removes snapshots", async () => {
    const { call, read, emulator } = await startControlled();
    const saved = await call("POST", "/api/snapshots/before");
    const snapshot = { name: "before", savedAt: expect.any(Number), bytes: expect.any(Number) };
    expect([saved.status, await saved.json()]).toEqual([201, snapshot]);
    emulator.keys.add({ key: "sk-late" });
    expect(await read("/api/snapshots")).toEqual({ data: [snapshot] });
    expect((await call("POST", "/api/snapshots/before/restore")).status).toBe(204);
    expect(emulator.keys.list()).toHaveLength(1);
    expect((await call("DELETE", "/api/snapshots/before")).status).toBe(204);
    expect(await read("/api/snapshots")).toEqual({ data: [] });
  });

  it.each([
    ["PUT", "/api/state", {}, 400, "nothing was changed: format is required"],
    ["PUT", "/api/state", { format: "model-gateway-emulator-state", version: 2 }, 400, "version is 2"],
    ["PUT", "/api/state", undefined, 400, "body is empty"],
    ["POST", "/api/state", {}, 404, "There is no POST"],
    ["POST", "/api/snapshots/none/restore", undefined, 404, 'no snapshot "none"'],
    ["DELETE", "/api/snapshots/none", undefined, 404, 'no snapshot "none"'],
    ["POST", "/api/snapshots/..%2Fx", undefined, 400, 'lower-case letters, digits, ".", "_" and "-"'],
    ["POST", "/api/keys", { key: "sk-a", group: "none" }, 400, 'token group "none" is unknown'],
    ["POST", "/api/keys", { group: "auto" }, 400, "key is required"],
    ["POST", "/api/keys", { key: "sk-a", group: "auto", qouta: 1 }, 400, "qouta is unknown here"],
    ["POST", "/api/keys", { key: "sk-a", group: "auto", rateLimit: 5 }, 400, "rateLimit must be an object"],
    ["POST", "/api/keys", undefined, 400, "body is empty"],
    ["PATCH", "/api/keys/sk-emulator", { group: null }, 400, "group must be a string"],
    ["PATCH", "/api/keys/sk-0123456789", { quota: 1 }, 404, "no key sk-…6789"],
    ["PATCH", "/api/groups/none", { models: [] }, 404, 'no token group "none"'],
    ["PATCH", "/api/groups/auto", { models: [] }, 400, "built in"],
    ["POST", "/api/clock", {}, 400, "one of advanceMs, setMs and next"],
    ["POST", "/api/clock", { advanceMs: -1 }, 400, "advanceMs must be a number from 0"],
    ["POST", "/api/faults", { kind: "explode" }, 400, "kind must be one of"],
    ["DELETE", "/api/faults/fault-9", undefined, 404, 'no fault "fault-9"'],
    ["GET", "/api/journal?status=many", undefined, 400, "status must be an integer"],
    ["GET", "/api/journal?color=red", undefined, 400, "color is unknown here"],
    ["GET", "/api/callbacks?delivered=yes", undefined, 400, "delivered must be one of"],
    ["POST", "/api/tasks/none/succeed", undefined, 404, 'no video task "none"'],
    ["POST", "/api/callbacks/none/resend", undefined, 404, 'no callback "none"'],
    ["POST", "/api/everything", {}, 404, "There is no POST /_emulator/api/everything"],
    ["POST", "/", undefined, 404, "There is no POST /_emulator/"],
    ["GET", "/nothing.js", undefined, 404, "There is no GET /_emulator/nothing.js"],
  ])("refuses %s %s with %j", async (method, path, body, status, message) => {
    const { call } = await startControlled();
    expect(await errorOf(await call(method, path, body))).toMatchObject({
      status,
      type: "invalid_request_error",
      message: expect.stringContaining(message),
    });
  });
});
