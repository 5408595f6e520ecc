import { describe, expect, it } from "vitest";
import { callbackReceiver } from "../testing/callback-receiver.js";
import { startNative } from "../testing/native-caller.js";

const TASKS = "/api/v3/contents/generations/tasks";
const order = (text = "a boat", rest: object = {}) => ({
  body: { model: "local-video-2.0", content: [{ type: "text", text }], ...rest },
});

describe("the list of tasks of Ark", () => {
  it("has the newest first, by pages, filters and the total of what they leave", async () => {
    const { emulator, call } = await startNative({ profile: "ark" });
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) ids.push((await call("POST", TASKS, order())).body.id);
    await call("POST", TASKS, order("a boat [[fail]]", { model: "local-video-1.5-pro" }));
    const listed = async (query: string) => {
      const { status, body } = await call("GET", `${TASKS}?${query}`);
      expect(status).toBe(200);
      return { total: body.total, ids: body.items.map(({ id }: { id: string }) => id) };
    };
    const [first = "", second = "", third = "", fourth = "", fifth = ""] = ids;
    const model = "filter.model=local-video-2.0";
    expect(await listed(model)).toEqual({ total: 5, ids: [fifth, fourth, third, second, first] });
    expect(await listed(`${model}&page_num=2&page_size=2`)).toEqual({ total: 5, ids: [third, second] });
    expect(await listed(`${model}&page_num=4&page_size=2`)).toEqual({ total: 5, ids: [] });
    const some = `filter.task_ids=${first}&filter.task_ids=${third}&filter.task_ids=none`;
    expect(await listed(some)).toEqual({ total: 2, ids: [third, first] });
    expect((await listed("filter.status=queued")).total).toBe(6);
    await emulator.clock.advance(120_000);
    expect((await listed("filter.status=failed")).total).toBe(1);
    expect((await listed("filter.status=succeeded&page_size=500")).ids).toHaveLength(5);
    const { body } = await call("GET", `${TASKS}?filter.task_ids=${first}`);
    expect(body.items[0]).toEqual((await call("GET", `${TASKS}/${first}`)).body);
  });

  it.each([
    "page_num=0",
    "page_num=501",
    "page_size=501",
    "page_size=-1",
    "page_size=1e3",
    "page_size=9007199254740993",
    "page_num=%201",
    "filter.status=done",
    "filter.status=",
  ])("refuses %s", async (query) => {
    const { call } = await startNative({ profile: "ark" });
    expect(await call("GET", `${TASKS}?${query}`)).toMatchObject({
      status: 400,
      body: { error: { code: "InvalidParameter" } },
    });
  });

  it("shows nobody the tasks of another key", async () => {
    const { emulator, call } = await startNative({ profile: "ark", keys: [{ key: "sk-other" }] });
    const { id } = (await call("POST", TASKS, order())).body;
    expect((await call("GET", TASKS, { key: "sk-other" })).body).toEqual({ items: [], total: 0 });
    const asked = await call("GET", `${TASKS}?filter.task_ids=${id}`, { key: "sk-other" });
    expect(asked.body.total).toBe(0);
    expect((await call("DELETE", `${TASKS}/${id}`, { key: "sk-other" })).status).toBe(404);
    expect(emulator.videos.timeline(id).map(({ status }) => status)).toEqual(["queued"]);
  });
});

describe("DELETE of Ark", () => {
  it("cancels a task that waits, once, and gives the money back", async () => {
    const { emulator, call } = await startNative({ profile: "ark" });
    const { id } = (await call("POST", TASKS, order())).body;
    expect(emulator.ledger.total("sk-emulator").units).toBeGreaterThan(0);
    expect(await call("DELETE", `${TASKS}/${id}`)).toEqual({ status: 200, body: {} });
    expect(emulator.ledger.total("sk-emulator").units).toBe(0);
    expect((await call("GET", `${TASKS}/${id}`)).body.status).toBe("cancelled");
    expect(await call("DELETE", `${TASKS}/${id}`)).toMatchObject({
      status: 409,
      body: { error: { code: "InvalidAction" } },
    });
    await emulator.clock.advance(600_000);
    expect((await call("GET", `${TASKS}/${id}`)).body.status).toBe("cancelled");
    expect((await call("GET", `${TASKS}?filter.status=cancelled`)).body.total).toBe(1);
  });

  it("stops nothing that runs", async () => {
    const { emulator, call } = await startNative({ profile: "ark" });
    const { id } = (await call("POST", TASKS, order())).body;
    await emulator.clock.advance(60_000);
    expect(await call("DELETE", `${TASKS}/${id}`)).toMatchObject({
      status: 409,
      body: { error: { code: "InvalidAction.RunningTaskDeletion", type: "Conflict" } },
    });
    await emulator.clock.advance(60_000);
    expect((await call("GET", `${TASKS}/${id}`)).body.status).toBe("succeeded");
  });

  it.each(["a boat", "a boat [[fail]]"])(
    "forgets a task that has ended (%s), not what it cost",
    async (prompt) => {
      const { emulator, call } = await startNative({ profile: "ark" });
      const { id } = (await call("POST", TASKS, order(prompt))).body;
      await emulator.clock.advance(120_000);
      const cost = emulator.ledger.total("sk-emulator").units;
      expect(await call("DELETE", `${TASKS}/${id}`)).toEqual({ status: 200, body: {} });
      expect((await call("GET", `${TASKS}/${id}`)).status).toBe(404);
      expect((await call("DELETE", `${TASKS}/${id}`)).status).toBe(404);
      expect((await call("GET", TASKS)).body).toEqual({ items: [], total: 0 });
      expect(emulator.ledger.total("sk-emulator").units).toBe(cost);
    },
  );

  it("of many at once cancels once", async () => {
    const { emulator, call } = await startNative({ profile: "ark" });
    const { id } = (await call("POST", TASKS, order())).body;
    const answers = await Promise.all(Array.from({ length: 8 }, () => call("DELETE", `${TASKS}/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    expect(emulator.videos.timeline(id).map(({ status }) => status)).toEqual(["queued", "cancelled"]);
  });

  it("waits for nobody who is called back, and leaves the callback under way whole", async () => {
    const { emulator, call } = await startNative({ profile: "ark" });
    let letGo: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let arrived: (() => void) | undefined;
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const { bodies, url } = await callbackReceiver(() => {
      arrived?.();
      return held;
    });
    const { id } = (await call("POST", TASKS, order("a boat", { callback_url: url }))).body;
    // Answered although the receiver has acknowledged nothing yet.
    expect((await call("DELETE", `${TASKS}/${id}`)).status).toBe(200);
    await arrival;
    expect(emulator.callbacks.list()).toMatchObject([{ taskId: id, delivered: false }]);
    letGo?.();
    await expect.poll(() => emulator.callbacks.list()[0]?.delivered).toBe(true);
    expect(bodies).toMatchObject([{ id, status: "cancelled" }]);
  });

  it("forgets a task from inside its own last callback", async () => {
    const { emulator, call } = await startNative({ profile: "ark" });
    const deleted: number[] = [];
    const { bodies, url } = await callbackReceiver(async (body) => {
      const { id } = body as { id: string };
      deleted.push((await call("DELETE", `${TASKS}/${id}`)).status);
    });
    const { id } = (await call("POST", TASKS, order("a boat", { callback_url: url }))).body;
    await emulator.clock.advance(120_000);
    expect(bodies).toMatchObject([{ status: "running" }, { status: "succeeded" }]);
    expect(deleted).toEqual([409, 200]);
    expect(emulator.callbacks.list().map(({ delivered }) => delivered)).toEqual([true, true]);
    expect((await call("GET", `${TASKS}/${id}`)).status).toBe(404);
    expect(await emulator.callbacks.resend(emulator.callbacks.list()[1]?.id ?? "")).toMatchObject({
      body: { status: "succeeded" },
    });
  });
});

describe("errors of Ark", () => {
  it("have its codes and types", async () => {
    const { call } = await startNative({ profile: "ark", keys: [{ key: "sk-poor", quota: 1 }] });
    const refused = (status: number, code: string, type: string) => ({
      status,
      body: { error: { code, type, param: "", message: expect.stringMatching(/ Request ID: \S+$/) } },
    });
    const missing = refused(404, "InvalidEndpointOrModel.NotFound", "NotFound");
    expect(await call("POST", TASKS, order("a", { model: "none" }))).toEqual(missing);
    expect(await call("GET", `${TASKS}/none`)).toEqual(missing);
    expect(await call("POST", TASKS, { ...order(), key: "sk-poor" })).toEqual(
      refused(403, "AccountOverdueError", "Forbidden"),
    );
    expect(await call("GET", TASKS, { key: "sk-wrong" })).toEqual(
      refused(401, "AuthenticationError", "Unauthorized"),
    );
    expect(await call("POST", TASKS, order("[[429]]"))).toEqual(
      refused(429, "RateLimitExceeded.EndpointRPMExceeded", "TooManyRequests"),
    );
    expect(await call("POST", TASKS, order("[[503]]"))).toEqual(
      refused(503, "InternalServiceError", "InternalServerError"),
    );
  });
});
