import { describe, expect, it } from "vitest";
import { startNative } from "../testing/native-caller.js";

const OWN = "/v1/video/generations";
const order = (prompt = "a boat", rest: object = {}) => ({
  body: { model: "local-video-2.0", prompt, ...rest },
});

describe("tasks of new-api", () => {
  it.each([
    ["local-video-2.0", { status: "succeeded", content: { video_url: expect.any(String) } }],
    ["local-omni-video", { code: 0, data: { task_status: "succeed" } }],
    ["local-image2video", { code: 0, data: { task_status: "succeed" } }],
  ])("of %s are made at one path, and shown in two ways, the upstream's inside", async (model, raw) => {
    const { emulator, call } = await startNative({ profile: "newapi" });
    const created = await call("POST", OWN, order("a boat", { model }));
    expect(created).toMatchObject({
      status: 200,
      body: { object: "video", model, status: "queued", progress: 0 },
    });
    const { id, task_id: same } = created.body;
    expect(same).toBe(id);
    expect((await call("GET", `${OWN}/${id}`)).body).toMatchObject({
      code: "success",
      data: { task_id: id, status: "QUEUED", progress: "0%", finish_time: 0 },
    });
    await emulator.clock.advance(120_000);
    const url = expect.stringContaining(`${id}/video.mp4`);
    expect((await call("GET", `${OWN}/${id}`)).body.data).toMatchObject({
      ...{ status: "SUCCESS", progress: "100%", result_url: url, data: raw },
    });
    expect((await call("GET", `/v1/videos/${id}`)).body).toMatchObject({
      ...{ object: "video", status: "completed", progress: 100, metadata: { url } },
    });
  });

  it.each<[object, object]>([
    [
      { size: "1280x720", duration: 4 },
      { seconds: "4", size: "1280x720" },
    ],
    [
      { size: "720x1280", seconds: "8" },
      { seconds: "8", size: "720x1280" },
    ],
    [
      { size: "1024x1024", duration: "6", seconds: "8" },
      { seconds: "6", size: "1440x1440" },
    ],
    [{ size: "480x480" }, { seconds: "5", size: "640x640" }],
  ])("of %j are %j", async (asked, made) => {
    const { call } = await startNative({ profile: "newapi" });
    expect((await call("POST", "/v1/videos", order("a boat", asked))).body).toMatchObject(made);
  });

  it("are still made as the API describes them", async () => {
    const { call } = await startNative({ profile: "newapi" });
    const content = [{ type: "text", text: "a boat" }];
    const body = { model: "local-video-2.0", content, duration: 4 };
    expect(await call("POST", "/v1/videos", { body })).toMatchObject({
      status: 200,
      body: { object: "video", seconds: "4" },
    });
    expect((await call("POST", "/v1/videos", { body: { ...body, duration: 400 } })).status).toBe(400);
  });

  it.each(["text2video", "image2video"])("are made where clients of Kling look: %s", async (family) => {
    const { emulator, call } = await startNative({ profile: "newapi" });
    const body = {
      ...{ model_name: "local-image2video", prompt: "a boat", duration: "10" },
      ...(family === "image2video" && { image: "https://example.com/cat.png" }),
    };
    const path = `/kling/v1/videos/${family}`;
    const { id } = (await call("POST", path, { body })).body;
    await emulator.clock.advance(120_000);
    expect((await call("GET", `${path}/${id}`)).body).toMatchObject({
      ...{ code: "success", data: { status: "SUCCESS", data: { data: { task_status: "succeed" } } } },
    });
    const wrong = { ...body, duration: "x" };
    expect((await call("POST", path, { body: wrong })).body).toMatchObject({
      code: "invalid_request",
      data: null,
    });
  });

  it("are nobody else's, nor is the film", async () => {
    const { emulator, call } = await startNative({ profile: "newapi", keys: [{ key: "sk-other" }] });
    const { id } = (await call("POST", OWN, order())).body;
    await emulator.clock.advance(120_000);
    const key = "sk-other";
    for (const path of [`${OWN}/${id}`, `/v1/videos/${id}`]) {
      expect(await call("GET", path, { key })).toMatchObject({
        status: 400,
        body: { code: "task_not_exist" },
      });
    }
    expect(await call("GET", `/v1/videos/${id}/content`, { key })).toMatchObject({
      status: 404,
      body: { error: { message: expect.stringContaining("no video task") } },
    });
  });

  it("have no film until they have succeeded", async () => {
    const { emulator, call } = await startNative({ profile: "newapi" });
    const { id } = (await call("POST", OWN, order("a boat [[fail]]"))).body;
    for (const status of ["QUEUED", "IN_PROGRESS", "FAILURE"]) {
      expect(await call("GET", `/v1/videos/${id}/content`)).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringContaining(`current status: ${status}.`) } },
      });
      await emulator.clock.advance(60_000);
    }
  });

  it("take a form, and a picture in it", async () => {
    const { emulator, call } = await startNative({ profile: "newapi" });
    const form = new FormData();
    for (const [name, value] of Object.entries({ model: "local-video-2.0", prompt: "a boat", seconds: "4" }))
      form.set(name, value);
    form.set("input_reference", new File(["not a picture that anybody reads"], "a.png"));
    const headers = { authorization: "Bearer sk-emulator" };
    const answer = await fetch(new URL("/v1/videos", emulator.url), { method: "POST", headers, body: form });
    expect([answer.status, await answer.json()]).toMatchObject([200, { seconds: "4" }]);
    form.set("seconds", "four");
    const refused = await fetch(new URL("/v1/videos", emulator.url), { method: "POST", headers, body: form });
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: "invalid_request" }]);
    expect((await call("GET", `${OWN}/${emulator.videos.list()[0]?.id}`)).status).toBe(200);
  });
});

describe("errors of new-api's tasks", () => {
  it("are those of its tasks, or of what stands before", async () => {
    const { call } = await startNative({ profile: "newapi", keys: [{ key: "sk-poor", quota: 1 }] });
    const own = (status: number, code: string) => ({
      status,
      body: { code, data: null, message: expect.stringMatching(/\(request id: \S+\)$/) },
    });
    const early = (status: number, code: string) => ({
      status,
      body: { error: { code, type: "new_api_error", param: "", message: expect.any(String) } },
    });
    expect(await call("POST", OWN, order(""))).toEqual(own(400, "invalid_request"));
    expect(await call("POST", OWN, order("a", { size: "big" }))).toEqual(own(400, "invalid_request"));
    expect(await call("POST", OWN, order("a", { images: "x" }))).toEqual(own(400, "invalid_request"));
    expect(await call("POST", OWN, { ...order(), key: "sk-poor" })).toEqual(
      own(403, "insufficient_user_quota"),
    );
    expect(await call("GET", `${OWN}/none`)).toEqual(own(400, "task_not_exist"));
    expect(await call("POST", OWN, order("a", { model: "none" }))).toEqual(early(503, "model_not_found"));
    expect(await call("POST", OWN, { ...order(), key: "sk-wrong" })).toEqual(early(401, ""));
    expect(await call("POST", OWN, order("[[429]]"))).toEqual(early(429, ""));
  });
});
