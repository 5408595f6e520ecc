import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createEmulator } from "../create-emulator.js";
import { callbackReceiver } from "../testing/callback-receiver.js";
import { startNative } from "../testing/native-caller.js";
import { smallPng } from "../testing/small-png.js";

const TEXT = "/v1/videos/text2video";
const order = (prompt = "a boat", rest: object = {}) => ({
  body: { model_name: "local-omni-video", prompt, ...rest },
});

/** A token as clients of Kling sign one for each call. */
function token(accessKey: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const now = Math.floor(Date.now() / 1_000);
  const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part({ iss: accessKey, exp: now + 1_800, nbf: now - 5 })}`;
  return `${signed}.${createHmac("sha256", "secret").update(signed).digest("base64url")}`;
}

describe("text2video of Kling", () => {
  it("makes a task that its own path shows, and no other", async () => {
    const { emulator, call } = await startNative({ profile: "kling" });
    const created = await call("POST", TEXT, order("a boat", { mode: "pro", duration: "15", sound: "on" }));
    expect(created).toMatchObject({
      status: 200,
      body: {
        code: 0,
        message: "SUCCEED",
        data: { task_status: "submitted", task_id: expect.stringMatching(/^\d+$/) },
      },
    });
    const { task_id: id } = created.body.data;
    await emulator.clock.advance(120_000);
    expect((await call("GET", `${TEXT}/${id}`)).body.data).toMatchObject({
      task_status: "succeed",
      final_unit_deduction: "1",
      task_result: { videos: [{ url: expect.stringContaining("video.mp4"), duration: "15.0" }] },
    });
    for (const other of ["/v1/videos/image2video", "/v1/videos/omni-video", "/v1/videos"])
      expect(await call("GET", `${other}/${id}`)).toMatchObject({ status: 404, body: { code: 1203 } });
    expect(emulator.videos.list({ family: "text2video" })).toMatchObject([{ id }]);
  });

  it("image2video also takes a last picture, and any of its lengths", async () => {
    const rendered: object[] = [];
    const emulator = createEmulator(
      { profile: "kling", videoTimings: { queuedMs: 0, runningMs: 0 } },
      {
        media: {
          describeImage: async () => ({}) as never,
          renderVideo: async (video) => {
            rendered.push(video);
            return {
              bytes: Uint8Array.of(1),
              mediaType: "video/mp4",
              durationSeconds: video.durationSeconds,
            };
          },
        },
      },
    );
    const [first, last] = [smallPng(), smallPng()].map((bytes) => Buffer.from(bytes).toString("base64"));
    const headers = { authorization: "Bearer sk-emulator", "content-type": "application/json" };
    const body = { model_name: "local-image2video", image: first, image_tail: last, duration: "7" };
    const url = `${emulator.url}/videos/image2video`;
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const { data } = (await (await emulator.fetch(url, init)).json()) as { data: { task_id: string } };
    await emulator.clock.advance(1);
    const done = await (await emulator.fetch(`${url}/${data.task_id}`, { headers })).json();
    const [video] = (done as { data: { task_result: { videos: { url: string }[] } } }).data.task_result
      .videos;
    expect((await emulator.fetch(video?.url ?? "")).status).toBe(200);
    expect(rendered).toMatchObject([
      { durationSeconds: 7, firstFrame: expect.any(Uint8Array), lastFrame: expect.any(Uint8Array) },
    ]);
  });

  it("takes a model of either kind, and its usual one where none is named", async () => {
    const models = [{ id: "kling-v1", like: "local-image2video" }];
    const { emulator, call } = await startNative({ profile: "kling", models });
    expect((await call("POST", TEXT, order("a boat", { model_name: undefined }))).status).toBe(200);
    expect(emulator.ledger.list()).toMatchObject([{ model: "kling-v1" }]);
  });

  it("knows a task by the id that its caller gave it, which names one task only", async () => {
    const { call } = await startNative({ profile: "kling" });
    const named = order("a boat", { external_task_id: "order-7" });
    const { task_id: id } = (await call("POST", TEXT, named)).body.data;
    expect((await call("GET", `${TEXT}/order-7`)).body.data.task_id).toBe(id);
    expect(await call("POST", TEXT, named)).toMatchObject({ status: 400, body: { code: 1201 } });
  });

  it("is told of to a callback, without the wrapper", async () => {
    const { emulator, call } = await startNative({ profile: "kling" });
    const { bodies, url } = await callbackReceiver();
    const { task_id: id } = (await call("POST", TEXT, order("a boat", { callback_url: url }))).body.data;
    await emulator.clock.advance(120_000);
    expect(bodies).toMatchObject([{ task_status: "processing" }, { task_status: "succeed" }]);
    expect(bodies[1]).toEqual((await call("GET", `${TEXT}/${id}`)).body.data);
  });

  it("lists what each path made, the newest first, by pages", async () => {
    const { call } = await startNative({ profile: "kling", keys: [{ key: "sk-other" }] });
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.push((await call("POST", TEXT, order())).body.data.task_id);
    await call("POST", "/v1/videos/omni-video", order("a boat", { aspect_ratio: "1:1" }));
    const listed = async (query: string, path = TEXT) =>
      (await call("GET", `${path}${query}`)).body.data.map(({ task_id: id }: { task_id: string }) => id);
    expect(await listed("")).toEqual([...ids].reverse());
    expect(await listed("?pageNum=2&pageSize=2")).toEqual([ids[0]]);
    expect(await listed("?pageNum=1000&pageSize=500")).toEqual([]);
    expect(await listed("", "/v1/videos/omni-video")).toHaveLength(1);
    expect(await listed("", "/v1/videos/image2video")).toEqual([]);
    expect((await call("GET", TEXT, { key: "sk-other" })).body.data).toEqual([]);
    for (const query of ["?pageNum=1001", "?pageSize=501", "?pageSize=0", "?pageNum=x"])
      expect(await call("GET", TEXT + query)).toMatchObject({ status: 400, body: { code: 1201 } });
  });
});

describe("keys of Kling", () => {
  it("sign a token that stands for the key", async () => {
    const { emulator, call } = await startNative({ profile: "kling", keys: [{ key: "sk-team" }] });
    const { status, body } = await call("POST", TEXT, { ...order(), key: token("sk-team") });
    expect(status).toBe(200);
    expect(emulator.ledger.list()).toHaveLength(1);
    expect(emulator.ledger.total("sk-team").calls).toBe(1);
    expect((await call("GET", `${TEXT}/${body.data.task_id}`, { key: "sk-team" })).status).toBe(200);
    expect((await call("GET", `${TEXT}/${body.data.task_id}`, { key: token("sk-emulator") })).status).toBe(
      404,
    );
    emulator.keys.update("sk-team", { disabled: true });
    expect((await call("POST", TEXT, { ...order(), key: token("sk-team") })).status).toBe(401);
  });

  it("are any where any are taken", async () => {
    const { call } = await startNative({ profile: "kling", anyKey: true });
    expect((await call("POST", TEXT, { ...order(), key: token("an-access-key") })).status).toBe(200);
  });

  it.each([
    ["of nobody", token("sk-nobody")],
    ["that names no key", `${token("a").split(".")[0]}.${Buffer.from("{}").toString("base64url")}.a`],
    ["that is none", "a.b.c"],
  ])("a token %s is refused", async (_what, key) => {
    const { call } = await startNative({ profile: "kling" });
    expect(await call("GET", TEXT, { key })).toMatchObject({ status: 401, body: { code: 1002 } });
  });

  it("of other profiles stay what they are", async () => {
    const { call } = await startNative({ profile: "ark" });
    expect((await call("GET", "/v1/models", { key: token("sk-emulator") })).status).toBe(401);
  });
});

describe("errors of Kling", () => {
  it("have numbers", async () => {
    const { emulator, call } = await startNative({ profile: "kling", keys: [{ key: "sk-poor", quota: 1 }] });
    const refused = (status: number, code: number) => ({
      status,
      body: { code, message: expect.any(String), request_id: expect.any(String) },
    });
    expect(await call("POST", TEXT, order(""))).toEqual(refused(400, 1201));
    expect(await call("POST", TEXT, order("a", { duration: "16" }))).toEqual(refused(400, 1201));
    expect(await call("POST", TEXT, order("a", { model_name: "none" }))).toEqual(refused(404, 1203));
    expect(await call("POST", TEXT, { ...order(), key: "sk-poor" })).toEqual(refused(429, 1102));
    expect(await call("POST", TEXT, order("[[429]]"))).toEqual(refused(429, 1302));
    expect(await call("POST", TEXT, order("[[503]]"))).toEqual(refused(503, 5001));
    expect(await call("POST", TEXT, order("[[500]]"))).toEqual(refused(500, 5000));
    expect(await call("PUT", TEXT)).toEqual(refused(404, 1202));
    const bare = await fetch(new URL(TEXT, emulator.url));
    expect([bare.status, await bare.json()]).toMatchObject([401, { code: 1001 }]);
  });

  it("are as described where it has nothing", async () => {
    const { call } = await startNative({ profile: "kling" });
    expect((await call("GET", "/v1/nothing")).body).toMatchObject({ error: { code: "not_found" } });
  });
});
