import { describe, expect, it } from "vitest";
import { createEmulator } from "../create-emulator.js";
import { callbackReceiver } from "../testing/callback-receiver.js";
import { startNative } from "../testing/native-caller.js";
import { bearer } from "../testing/start-emulator.js";

const CREATE = "/api/v1/services/aigc/video-generation/video-synthesis";
const ASYNC = { "x-dashscope-async": "enable" };
const order = (prompt = "a boat", { model = "local-video-2.0", parameters = {}, input = {} } = {}) => ({
  headers: ASYNC,
  body: { model, input: { prompt, ...input }, parameters },
});

describe("a task of Bailian", () => {
  it.each(["local-video-2.0", "local-image2video", "local-omni-video"])(
    "of %s is followed to its end",
    async (model) => {
      const { emulator, call } = await startNative({ profile: "bailian" });
      const created = await call("POST", CREATE, order("a boat", { model }));
      const id = created.body.output.task_id;
      expect(created).toEqual({
        status: 200,
        body: {
          request_id: expect.any(String),
          output: { task_id: expect.any(String), task_status: "PENDING" },
        },
      });
      const read = async () => (await call("GET", `/api/v1/tasks/${id}`)).body;
      expect((await read()).output).not.toHaveProperty("scheduled_time");
      await emulator.clock.advance(60_000);
      expect((await read()).output).toMatchObject({
        task_status: "RUNNING",
        scheduled_time: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/),
      });
      await emulator.clock.advance(60_000);
      expect(await read()).toMatchObject({
        output: { task_status: "SUCCEEDED", video_url: expect.stringContaining(`${id}/video.mp4`) },
        usage: { duration: 5, video_count: 1, SR: 720, size: "1280*720", ratio: "16:9", fps: 24 },
      });
      expect(emulator.ledger.list()).toMatchObject([{ model, taskId: id }]);
    },
  );

  it.each<[object, string, number]>([
    [{ size: "832*480" }, "864*496", 480],
    [{ size: "1080*1920" }, "1080*1920", 1080],
    [{ resolution: "480P", ratio: "1:1" }, "640*640", 640],
    [{ resolution: "1080P", ratio: "3:4" }, "1248*1664", 1080],
  ])("has the size that %j asks for", async (parameters, size) => {
    const { emulator, call } = await startNative({ profile: "bailian" });
    const created = await call(
      "POST",
      CREATE,
      order("a boat", { parameters: { ...parameters, duration: 15 } }),
    );
    await emulator.clock.advance(120_000);
    const { usage } = (await call("GET", `/api/v1/tasks/${created.body.output.task_id}`)).body;
    expect(usage).toMatchObject({ size, duration: 15 });
  });

  it("is made of the seed that it asks for", async () => {
    const seeds: number[] = [];
    const emulator = createEmulator(
      { profile: "bailian", videoTimings: { queuedMs: 0, runningMs: 0 } },
      {
        media: {
          renderVideo: async ({ seed, durationSeconds }) => {
            seeds.push(seed);
            return { bytes: Uint8Array.of(1), mediaType: "video/mp4", durationSeconds };
          },
        },
      },
    );
    const headers = { ...bearer("sk-emulator"), ...ASYNC };
    const { body } = order("a boat", { parameters: { seed: 41 } });
    const url = new URL(CREATE, emulator.url);
    await emulator.fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    await emulator.clock.advance(1);
    const id = emulator.videos.list()[0]?.id;
    const shown = await emulator.fetch(new URL(`/api/v1/tasks/${id}`, emulator.url), { headers });
    await emulator.fetch(((await shown.json()) as { output: { video_url: string } }).output.video_url);
    expect(seeds).toEqual([41]);
    await emulator.close();
  });

  it.each<[string, object]>([
    ["a size in other words", { parameters: { size: "1280x720" } }],
    ["a tier in other words", { parameters: { resolution: "720p" } }],
    ["a ratio that it has not", { parameters: { ratio: "21:9" } }],
    ["too long", { parameters: { duration: 16 } }],
    ["a seed out of bounds", { parameters: { seed: -1 } }],
    ["neither words nor a picture", { prompt: "" }],
    ["a picture that is none", { input: { img_url: "cat" } }],
    ["media that are no list", { input: { media: "cat" } }],
  ])("is refused: %s", async (_what, { prompt = "a boat", ...rest }: { prompt?: string }) => {
    const { emulator, call } = await startNative({ profile: "bailian" });
    expect(await call("POST", CREATE, order(prompt, rest))).toMatchObject({
      status: 400,
      body: { code: "InvalidParameter", request_id: expect.any(String), message: expect.any(String) },
    });
    expect(emulator.ledger.list()).toEqual([]);
  });

  it.each<[string, object]>([
    ["img_url", { img_url: "https://example.com/a.png" }],
    [
      "first_frame_url and last_frame_url",
      { first_frame_url: "https://a.test/a", last_frame_url: "https://a.test/b" },
    ],
    [
      "media",
      {
        media: [
          { type: "first_frame", url: "https://a.test/a" },
          { type: "last_frame", url: "https://a.test/b" },
        ],
      },
    ],
  ])("begins with a picture in %s, and needs no words then", async (_name, input) => {
    const { call } = await startNative({ profile: "bailian" });
    const answer = await call(
      "POST",
      "/api/v1/services/aigc/image2video/video-synthesis",
      order("", { input }),
    );
    expect([answer.status, answer.body.output?.task_status]).toEqual([200, "PENDING"]);
  });

  it("is made in the background or not at all", async () => {
    const { call } = await startNative({ profile: "bailian" });
    const answer = await call("POST", CREATE, { ...order(), headers: {} });
    expect(answer).toMatchObject({
      status: 403,
      body: { code: "AccessDenied", message: expect.stringContaining("does not support synchronous calls") },
    });
  });

  it("that is not there, or another's, is unknown", async () => {
    const { call } = await startNative({ profile: "bailian", keys: [{ key: "sk-other" }] });
    const { task_id: id } = (await call("POST", CREATE, order())).body.output;
    for (const [asked, key] of [
      ["none", "sk-emulator"],
      [id, "sk-other"],
    ] as const) {
      expect(await call("GET", `/api/v1/tasks/${asked}`, { key })).toEqual({
        status: 200,
        body: { request_id: expect.any(String), output: { task_id: asked, task_status: "UNKNOWN" } },
      });
    }
  });
});

describe("cancelling at Bailian", () => {
  it("takes a task out of the queue, once, and gives the money back", async () => {
    const { emulator, call } = await startNative({ profile: "bailian" });
    const { task_id: id } = (await call("POST", CREATE, order())).body.output;
    const path = `/api/v1/tasks/${id}/cancel`;
    expect(await call("POST", path)).toEqual({ status: 200, body: { request_id: expect.any(String) } });
    expect((await call("GET", `/api/v1/tasks/${id}`)).body.output.task_status).toBe("CANCELED");
    expect(emulator.ledger.total("sk-emulator").units).toBe(0);
    expect(await call("POST", path)).toMatchObject({
      status: 400,
      body: { code: "UnsupportedOperation", message: expect.stringContaining("PENDING status") },
    });
  });

  it("stops nothing that runs or has ended, nor what is another's", async () => {
    const { emulator, call } = await startNative({ profile: "bailian", keys: [{ key: "sk-other" }] });
    const { task_id: id } = (await call("POST", CREATE, order())).body.output;
    const path = `/api/v1/tasks/${id}/cancel`;
    expect((await call("POST", path, { key: "sk-other" })).status).toBe(404);
    for (const status of ["RUNNING", "SUCCEEDED"]) {
      await emulator.clock.advance(60_000);
      expect((await call("POST", path)).body.code).toBe("UnsupportedOperation");
      expect((await call("GET", `/api/v1/tasks/${id}`)).body.output.task_status).toBe(status);
    }
  });

  it("takes a body that says nothing", async () => {
    const { call } = await startNative({ profile: "bailian" });
    const { task_id: id } = (await call("POST", CREATE, order())).body.output;
    expect((await call("POST", `/api/v1/tasks/${id}/cancel`, { body: {} })).status).toBe(200);
  });
});

describe("the list of tasks of Bailian", () => {
  const timeOf = (ms: number) => new Date(ms).toISOString().replace(/\D/g, "").slice(0, 14);

  it("has the newest of a day first, by pages and filters", async () => {
    const { emulator, call } = await startNative({ profile: "bailian" });
    const ids: string[] = [];
    for (const model of ["local-video-2.0", "local-omni-video", "local-video-2.0"])
      ids.push((await call("POST", CREATE, order("a boat", { model }))).body.output.task_id);
    await call("POST", `/api/v1/tasks/${ids[0]}/cancel`);
    const listed = async (query: string) => (await call("GET", `/api/v1/tasks/?${query}`)).body;
    const idsOf = ({ data }: { data: { task_id: string }[] }) => data.map(({ task_id }) => task_id);
    const all = await listed("");
    expect(all).toMatchObject({ total: 3, total_page: 1, page_no: 1, page_size: 10 });
    expect(idsOf(all)).toEqual([...ids].reverse());
    expect(all.data[2]).toMatchObject({
      status: "CANCELED",
      model_name: "local-video-2.0",
      end_time: expect.any(Number),
    });
    expect(await listed("page_size=2&page_no=2")).toMatchObject({ total: 3, total_page: 2, page_no: 2 });
    expect(idsOf(await listed("page_size=2&page_no=2"))).toEqual([ids[0]]);
    expect(idsOf(await listed("model_name=local-omni-video"))).toEqual([ids[1]]);
    expect(idsOf(await listed("status=PENDING"))).toEqual([ids[2], ids[1]]);
    expect(idsOf(await listed(`task_id=${ids[1]}`))).toEqual([ids[1]]);
    expect(await listed("page_size=9007199254740991")).toMatchObject({ total: 3, total_page: 1 });
    expect(await listed("page_no=9007199254740991")).toMatchObject({ total: 3, data: [] });
    const now = emulator.clock.now();
    await emulator.clock.advance(25 * 60 * 60 * 1_000);
    expect(await listed("")).toMatchObject({ total: 0, data: [], total_page: 0 });
    expect((await listed(`start_time=${timeOf(now - 60_000)}`)).total).toBe(3);
    expect((await listed(`end_time=${timeOf(now + 60_000)}`)).total).toBe(3);
  });

  it.each([
    "page_no=0",
    "page_size=0",
    "page_size=99999999999999999999",
    "status=pending",
    "start_time=yesterday",
    "start_time=20261301000000",
    "start_time=20260101000000&end_time=20260103000000",
    "start_time=20260102000000&end_time=20260101000000",
  ])("refuses %s", async (query) => {
    const { call } = await startNative({ profile: "bailian" });
    const answer = await call("GET", `/api/v1/tasks?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { code: "InvalidParameter" } });
  });

  it("shows nobody the tasks of another key", async () => {
    const { call } = await startNative({ profile: "bailian", keys: [{ key: "sk-other" }] });
    await call("POST", CREATE, order());
    expect((await call("GET", "/api/v1/tasks", { key: "sk-other" })).body.total).toBe(0);
  });
});

describe("errors of Bailian", () => {
  it("are flat at its own paths", async () => {
    const { emulator, call } = await startNative({
      profile: "bailian",
      keys: [{ key: "sk-poor", quota: 1 }],
    });
    const flat = (status: number, code: string) => ({
      status,
      body: { code, message: expect.any(String), request_id: expect.any(String) },
    });
    expect(await call("POST", CREATE, order("a", { model: "none" }))).toEqual(flat(400, "InvalidParameter"));
    expect(await call("POST", CREATE, { ...order(), key: "sk-poor" })).toEqual(flat(400, "Arrearage"));
    expect(await call("GET", "/api/v1/tasks/1", { key: "sk-wrong" })).toEqual(flat(401, "InvalidApiKey"));
    expect(await call("POST", CREATE, order("[[429]]"))).toEqual(flat(429, "Throttling.RateQuota"));
    expect(await call("POST", CREATE, order("[[503]]"))).toEqual(flat(503, "InternalError"));
    const bare = await fetch(new URL("/api/v1/tasks/1", emulator.url));
    expect([bare.status, await bare.json()]).toMatchObject([401, { message: "No API-key provided." }]);
  });

  it("are those of the chat format elsewhere", async () => {
    const { call } = await startNative({ profile: "bailian", keys: [{ key: "sk-poor", quota: 1 }] });
    const chat = { model: "local-chat", messages: [{ role: "user", content: "a" }] };
    const path = "/compatible-mode/v1/chat/completions";
    const inside = (code: string, type: string) => ({
      body: {
        request_id: expect.any(String),
        error: { code, type, param: null, message: expect.any(String) },
      },
    });
    expect(await call("POST", path, { body: chat, key: "sk-poor" })).toMatchObject({
      status: 400,
      ...inside("Arrearage", "Arrearage"),
    });
    expect(await call("POST", path, { body: { ...chat, model: "none" } })).toMatchObject({
      status: 404,
      ...inside("model_not_found", "invalid_request_error"),
    });
    expect(await call("POST", path, { body: chat, key: "sk-wrong" })).toMatchObject({
      status: 401,
      ...inside("invalid_api_key", "authentication_error"),
    });
  });
});

describe("embeddings of Bailian", () => {
  const PATH = "/api/v1/services/embeddings/text-embedding/text-embedding";

  it("are numbered as they came, and counted", async () => {
    const { emulator, call } = await startNative({ profile: "bailian" });
    const input = { texts: ["a boat", "a fox"] };
    const { status, body } = await call("POST", PATH, {
      body: { model: "local-embedding", input, parameters: { dimension: 64 } },
    });
    expect(status).toBe(200);
    expect(body.output.embeddings.map(({ text_index: index }: { text_index: number }) => index)).toEqual([
      0, 1,
    ]);
    expect(body.output.embeddings[0].embedding).toHaveLength(64);
    expect(emulator.ledger.list()).toMatchObject([{ counted: { inputTokens: body.usage.total_tokens } }]);
  });

  it.each([
    [{}],
    [{ input: [] }],
    [{ input: { texts: [] } }],
    [{ input: { texts: "a" }, parameters: 1 }],
    [{ input: null }],
  ])("of %j are made or refused, and nothing else", async (body) => {
    const { call } = await startNative({ profile: "bailian" });
    const answer = await call("POST", PATH, { body: { model: "local-embedding", ...body } });
    expect([200, 400]).toContain(answer.status);
    expect(answer.body).toHaveProperty(answer.status === 200 ? "output" : "code");
  });
});

describe("callbacks of what was cancelled", () => {
  it("say so in the words of the profile", async () => {
    const { emulator, call, post } = await startNative({ profile: "bailian" });
    const { bodies, url } = await callbackReceiver();
    const omni = {
      model_name: "local-omni-video",
      prompt: "a boat",
      aspect_ratio: "16:9",
      callback_url: url,
    };
    await post("/videos/omni-video", omni);
    const id = emulator.videos.list()[0]?.id;
    expect((await call("POST", `/api/v1/tasks/${id}/cancel`)).status).toBe(200);
    await expect.poll(() => bodies).toMatchObject([{ output: { task_id: id, task_status: "CANCELED" } }]);
  });
});
