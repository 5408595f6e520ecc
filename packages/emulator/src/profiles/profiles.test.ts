import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator, type EmulatorOptions, type Profile } from "../index.js";
import { bearer, startEmulator } from "../testing/start-emulator.js";

const FLAT = {
  model: "local-video-2.0",
  content: [{ type: "text", text: "a boat" }],
  return_last_frame: true,
};
const WRAPPED = { model_name: "local-omni-video", prompt: "a boat", duration: "5", aspect_ratio: "16:9" };
const URL_OF = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/files\/.*video\.mp4/);

async function started(profile: Profile, options: EmulatorOptions = {}) {
  const all = await startEmulator({ profile, ...options });
  const json = async (response: Response) => (await response.json()) as never;
  return { ...all, json, read: async (path: string) => json(await all.get(path)) };
}

/** A new task of each kind, how it is answered, and how it looks when it has succeeded. */
async function tasks(profile: Profile) {
  const { emulator, post, json, read } = await started(profile);
  const [flat, wrapped] = [
    await json(await post("/videos", FLAT)),
    await json(await post("/videos/omni-video", WRAPPED)),
  ];
  const [first, second] = emulator.videos.list();
  await emulator.clock.advance(1_000);
  const running = await read(`/videos/${first?.id}`);
  await emulator.clock.advance(60_000);
  return {
    flat,
    wrapped,
    running,
    done: await read(`/videos/${first?.id}`),
    wrappedDone: await read(`/videos/omni-video/${second?.id}`),
  };
}

describe("tasks in the shapes of a route", () => {
  it("ark: files in content, no progress, also where its own clients look", async () => {
    const { flat, done } = await tasks("ark");
    expect(flat).toEqual({ id: expect.stringMatching(/^task_/) });
    expect(done).toMatchObject({
      status: "succeeded",
      content: { video_url: URL_OF, last_frame_url: expect.any(String) },
    });
    expect(done).not.toHaveProperty("output");
    expect(done).not.toHaveProperty("progress");
    const { emulator, json } = await started("ark");
    const native = new URL("/api/v3/contents/generations/tasks", emulator.url);
    const headers = { ...bearer("sk-emulator"), "content-type": "application/json" };
    const { id } = await json(await fetch(native, { method: "POST", headers, body: JSON.stringify(FLAT) }));
    expect(await json(await fetch(`${native}/${id}`, { headers }))).toMatchObject({ id, status: "queued" });
  });

  it("kling: wrapped tasks that say what they cost", async () => {
    const { wrapped, wrappedDone } = await tasks("kling");
    expect(wrapped).toMatchObject({
      code: 0,
      data: { task_status: "submitted", task_id: expect.stringMatching(/^\d+$/) },
    });
    expect(wrapped).not.toHaveProperty("task_id");
    expect(wrappedDone).toMatchObject({
      data: { task_status: "succeed", final_unit_deduction: "1", task_result: { videos: [{ url: URL_OF }] } },
    });
  });

  it("bailian: all of it in output, in capitals", async () => {
    const { flat, wrapped, running, done, wrappedDone } = await tasks("bailian");
    for (const each of [flat, wrapped]) expect(each).toMatchObject({ output: { task_status: "PENDING" } });
    expect(running).toMatchObject({ output: { task_status: "RUNNING" } });
    for (const each of [done, wrappedDone]) {
      expect(each).toMatchObject({
        output: { task_status: "SUCCEEDED", video_url: URL_OF, orig_prompt: "a boat" },
        usage: { video_count: 1, duration: 5 },
      });
    }
  });

  it("newapi: videos of one wire format, and tasks twice wrapped", async () => {
    const { flat, wrapped, running, done, wrappedDone } = await tasks("newapi");
    expect(flat).toMatchObject({ object: "video", status: "queued", progress: 0 });
    expect(wrapped).toMatchObject({ object: "video", status: "queued", task_id: expect.any(String) });
    expect(running).toMatchObject({ status: "in_progress", progress: 30 });
    expect(done).toMatchObject({
      status: "completed",
      progress: 100,
      metadata: { url: URL_OF },
      seconds: "5",
    });
    expect(wrappedDone).toMatchObject({
      code: "success",
      data: {
        status: "SUCCESS",
        progress: "100%",
        result_url: URL_OF,
        data: { data: { task_status: "succeed" } },
      },
    });
  });

  it.each<[Profile, object]>([
    ["spec", { code: 0, data: { task_status: "failed" } }],
    ["kling", { task_status: "failed", task_status_msg: "no film" }],
    ["bailian", { output: { task_status: "FAILED", message: "no film" } }],
    ["newapi", { data: { status: "FAILURE", fail_reason: "no film" } }],
  ])("and callbacks, too: %s", async (profile, expected) => {
    const bodies: unknown[] = [];
    const receiver = createServer(async (request, response) => {
      let text = "";
      for await (const piece of request) text += piece;
      bodies.push(JSON.parse(text));
      response.end();
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => receiver.once("listening", resolve));
    onTestFinished(() => {
      receiver.close();
    });
    const videoTimings = { queuedMs: 3_600_000, runningMs: 3_600_000 };
    const { emulator, post } = await started(profile, { videoTimings });
    const { port } = receiver.address() as AddressInfo;
    await post("/videos/omni-video", { ...WRAPPED, callback_url: `http://127.0.0.1:${port}/` });
    await emulator.videos.fail(emulator.videos.list()[0]?.id ?? "", "no film");
    expect(bodies).toHaveLength(1);
    expect(bodies).toMatchObject([expected]);
  });
});

describe("errors in the envelope of a route", () => {
  it.each<[Profile, number, object]>([
    [
      "spec",
      404,
      { error: { code: "model_not_found", type: "invalid_request_error", message: expect.any(String) } },
    ],
    [
      "ark",
      404,
      {
        error: {
          code: "InvalidEndpointOrModel.NotFound",
          type: "NotFound",
          param: "",
          message: expect.stringMatching(/Request ID: \S+$/),
        },
      },
    ],
    [
      "newapi",
      503,
      {
        error: {
          code: "model_not_found",
          type: "new_api_error",
          param: "",
          message: expect.stringMatching(/\(request id: \S+\)$/),
        },
      },
    ],
  ])("%s", async (profile, status, body) => {
    const { post, json } = await started(profile);
    const response = await post("/chat/completions", {
      model: "none",
      messages: [{ role: "user", content: "a" }],
    });
    expect([response.status, await json(response)]).toEqual([status, body]);
  });

  it("of tasks: newapi answers 400, in another envelope", async () => {
    const { get, json } = await started("newapi");
    const response = await get("/videos/none");
    expect([response.status, await json(response)]).toEqual([
      400,
      { code: "task_not_exist", message: expect.any(String), data: null },
    ]);
  });
});

describe("streams with the habits of a route", () => {
  const BODY = {
    ...{ model: "local-chat", stream: true, stream_options: { include_usage: true } },
    messages: [{ role: "user", content: "Hello" }],
  };
  const textOf = async (profile: Profile, body: object = BODY) =>
    (await (await started(profile)).post("/chat/completions", body)).text();
  const chunksOf = (text: string) =>
    text.split("\n\n").flatMap((event) => (event.startsWith("data: {") ? [JSON.parse(event.slice(6))] : []));

  it("spec has none", async () => {
    const text = await textOf("spec");
    expect(text).toMatch(/^data: \{/);
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
    expect(chunksOf(text).at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: expect.any(Number) },
    });
  });

  it("newapi: comments, an empty first id, the usage in the last chunk, and no end marker", async () => {
    const text = await textOf("newapi");
    expect(text).toMatch(/^: PING\n\ndata: \{"id":""/);
    expect(text).not.toContain("[DONE]");
    const chunks = chunksOf(text);
    expect(chunks[1].id).toMatch(/^chatcmpl-/);
    expect(chunks.at(-1)).toMatchObject({
      choices: [{ finish_reason: "stop" }],
      usage: { total_tokens: expect.any(Number) },
    });
    const without = chunksOf(await textOf("newapi", { ...BODY, stream_options: undefined }));
    expect(without.at(-1)).toMatchObject({ choices: [{ finish_reason: "stop" }] });
    expect(without.at(-1)).not.toHaveProperty("usage");
  });

  it("are kept where a fault breaks an event", async () => {
    const { emulator, post } = await started("newapi");
    emulator.faults.add({ kind: "malformed-json", times: 1 });
    const text = await (await post("/chat/completions", BODY)).text();
    expect(() => chunksOf(text)).toThrow();
    expect(text).toMatch(/^: PING/);
  });
});

describe("a profile of one's own", () => {
  it("is what spec is, but for what it says", async () => {
    const { post } = await started({ streams: { doneMarker: false }, requests: "tolerant" });
    const response = await post("/chat/completions", {
      ...{ model: "local-chat", stream: true, messages: [{ role: "developer", content: "a" }] },
    });
    const text = await response.text();
    expect([response.status, text.includes("[DONE]"), text.includes("PING")]).toEqual([200, false, false]);
  });

  it.each<[object | string, string]>([
    ["lax", "profile must be one of spec, tolerant, ark, kling, bailian, newapi, or settings (got lax)"],
    ["toString", "profile must be one of"],
    [{ task: "ark" }, "profile.task is unknown; there are requests, tasks, errors"],
    [{ tasks: "sora" }, "profile.tasks must be one of spec, ark, kling, bailian, newapi (got sora)"],
    [{ streams: { done: true } }, "profile.streams.done is unknown"],
    [{ streams: { comments: "yes" } }, "profile.streams.comments must be one of true, false (got yes)"],
  ])("is refused as %j", (profile, message) => {
    expect(() => createEmulator({ profile: profile as Profile })).toThrow(message);
  });
});
