import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Emulator } from "../index.js";
import {
  newFolder,
  onlyRecording,
  readAll,
  recordFrom,
  serve,
  UPSTREAM_KEY,
} from "../testing/record-calls.js";
import { bearer, errorOf, startEmulator } from "../testing/start-emulator.js";

const QUESTION = [{ role: "user" as const, content: "What is 6 times 7?" }];

type Started = Awaited<ReturnType<typeof startEmulator>>;

/** A text with the place of the emulator taken out: another run listens somewhere else. */
function placeless({ url }: Emulator, text: string): string {
  return text.replaceAll(new URL(url).origin, "here");
}

/** What another emulator answers to a conversation is recorded and replayed. */
async function recordThenReplay<T>(
  talk: (started: Started) => Promise<T>,
  replay: { timeScale?: number } = {},
) {
  const dir = await newFolder();
  const behind = await startEmulator({ keys: [{ key: UPSTREAM_KEY, moderation: true }] });
  const first = await recordFrom(behind.emulator.url, dir);
  const recorded = await talk(first);
  await first.emulator.close();
  await behind.emulator.close();
  const second = await startEmulator({ replay: { dir, ...replay } });
  const replayed = await talk(second);
  return { dir, recorded, replayed, replayer: second };
}

describe("a recorded run", () => {
  it.each([0, 1])("replays byte for byte, at %j of its time", async (timeScale) => {
    const talk = async ({ emulator, get, post, openai }: Started) => {
      const texts: string[] = [];
      const keep = async (response: Promise<Response>) => {
        const text = await (await response).text();
        texts.push(placeless(emulator, text));
        return text;
      };
      await keep(get("/models"));
      await keep(post("/chat/completions", { model: "local-chat", messages: QUESTION }));
      await keep(post("/chat/completions", { model: "local-chat", messages: QUESTION, stream: true }));
      await keep(post("/chat/completions", { model: "no-such-model", messages: QUESTION }));
      await keep(post("/embeddings", { model: "local-embedding", input: ["a", "b"] }));
      await keep(post("/images/generations", { model: "local-image-b64", prompt: "a fox" }));
      await keep(
        post("/images/generations", {
          model: "local-image-b64",
          prompt: "a fox",
          stream: true,
          partial_images: 1,
        }),
      );
      const drawn = JSON.parse(
        await keep(post("/images/generations", { model: "local-image", prompt: "a fox" })),
      );
      const picture = await fetch(drawn.data[0].url);
      expect(new URL(drawn.data[0].url).origin).toBe(new URL(emulator.url).origin);
      texts.push(Buffer.from(await picture.arrayBuffer()).toString("latin1"));
      const stream = await openai.chat.completions.create({
        model: "local-reasoner",
        messages: QUESTION,
        stream: true,
        stream_options: { include_usage: true },
      });
      for await (const chunk of stream) texts.push(JSON.stringify(chunk));
      const speech = await openai.audio.speech.create({
        model: "local-speech",
        input: "Hello",
        voice: "alloy",
      });
      texts.push(Buffer.from(await speech.arrayBuffer()).toString("latin1"));
      return texts;
    };
    const { recorded, replayed, replayer } = await recordThenReplay(talk, { timeScale });
    expect(recorded.length).toBeGreaterThan(12);
    expect(replayed).toEqual(recorded);
    expect(replayer.emulator.recordings.unused()).toEqual([]);
    expect(replayer.emulator.ledger.list()).toEqual([]);
  });

  it("walks a task through the states that it had, and serves what it led to in ranges", async () => {
    const talk = async ({ get, post }: Started) => {
      const created = await post("/videos", {
        model: "local-video-2.0",
        content: [{ type: "text", text: "a boat" }],
        resolution: "480p",
      });
      const { id } = (await created.json()) as { id: string };
      const seen: string[] = [];
      for (;;) {
        const task = (await (await get(`/videos/${id}`)).json()) as {
          status: string;
          output?: { video_url: string };
        };
        if (seen.at(-1) !== task.status) seen.push(task.status);
        if (!task.output) continue;
        const whole = Buffer.from(await (await fetch(task.output.video_url)).arrayBuffer());
        const part = await fetch(task.output.video_url, { headers: { range: "bytes=4-7" } });
        const head = await fetch(task.output.video_url, { method: "HEAD" });
        return {
          ...{ id, seen, whole: whole.toString("base64") },
          part: [part.status, part.headers.get("content-range"), await part.text()],
          head: [head.status, head.headers.get("content-length"), head.headers.get("content-type")],
        };
      }
    };
    const { recorded, replayed, dir } = await recordThenReplay(talk);
    expect(recorded.seen).toEqual(["queued", "running", "succeeded"]);
    expect(recorded.part).toEqual([206, expect.stringMatching(/^bytes 4-7\/\d+$/), "ftyp"]);
    expect(recorded.head[0]).toBe(200);
    expect(replayed).toEqual(recorded);
    const films = [...(await readAll(dir))].filter(([name]) => name.endsWith(".mp4"));
    expect(films).toHaveLength(1);
  });

  it("knows forms by their fields and files, whatever their boundary", async () => {
    const talk = async ({ emulator }: Started) => {
      const edit = (name: string, byte: number) => {
        const form = new FormData();
        form.set("model", "local-image-b64");
        form.set("prompt", "a hat");
        const picture = new Uint8Array(PNG).fill(byte, PNG.length - 1);
        form.append("image", new File([picture], name, { type: "image/png" }));
        const request = { method: "POST", headers: bearer("sk-emulator"), body: form };
        return fetch(`${emulator.url}/images/edits`, request).then((response) => response.text());
      };
      return [await edit("a.png", 0x82), await edit("b.png", 0x82)];
    };
    const { recorded, replayed, replayer } = await recordThenReplay(talk);
    expect(JSON.parse(recorded[0] ?? "")).toMatchObject({ data: [{ b64_json: expect.any(String) }] });
    expect(replayed).toEqual(recorded);
    const form = new FormData();
    form.set("model", "local-image-b64");
    form.set("prompt", "a cap");
    form.append("image", new File([PNG], "a.png", { type: "image/png" }));
    const missed = await fetch(`${replayer.emulator.url}/images/edits`, {
      ...{ method: "POST", headers: bearer("sk-emulator"), body: form },
    });
    expect(await errorOf(missed)).toMatchObject({
      status: 404,
      code: "no_recording",
      message: expect.stringContaining('(recorded "a hat", sent "a cap")'),
    });
  });

  it("is a file that can be read and compared: what is the same is not written again", async () => {
    const answers = { count: 0 };
    const baseURL = await serve(async (_request, response) => {
      // Another time than before.
      if (answers.count > 0) await new Promise((resolve) => setTimeout(resolve, 20));
      answers.count++;
      response.writeHead(200, {
        "content-type": "application/json",
        "openai-processing-ms": String(answers.count),
      });
      response.end('{"id":"1","vector":[0.1,0.2]}');
    });
    const dir = await newFolder();
    const record = async () => {
      const { emulator, post } = await recordFrom(baseURL, dir);
      await (await post("/embeddings", { model: "m", input: "a" })).text();
      await emulator.close();
      const [[name = "", bytes] = []] = [...(await readAll(dir))];
      return { name, text: bytes?.toString() ?? "", file: (await stat(join(dir, name))).ino };
    };
    const first = await record();
    expect(first.name).toMatch(/^post-embeddings-[0-9a-f]{8}-1\.json$/);
    expect(first.text.replace(/"headMs": \d+/, '"headMs": 0')).toBe(`{
  "version": 1,
  "request": {
    "method": "POST",
    "path": "/v1/embeddings",
    "json": {
      "model": "m",
      "input": "a"
    }
  },
  "response": {
    "status": 200,
    "headers": {
      "content-type": "application/json"
    },
    "headMs": 0,
    "json": {
      "id": "1",
      "vector": [0.1,0.2]
    },
    "end": "close"
  }
}
`);
    expect(await record()).toEqual(first);
    expect(answers.count).toBe(2);
  });

  it("keeps the layout of whoever wrote it", async () => {
    const bodies = [
      '{"a": 1, "b": [1, 2], "c": "\\u00fc"}',
      '{"a":"\\u003cb\\u003e \\u0026"}',
      '{\n  "a": 1\n}',
      '{"a":1.0}\n',
      '{"2":1,"1":2}',
      "not JSON",
      '{"$parts":["x"]}',
      '{"said":"{{origin}} and {{origin-2}}"}',
      "\ufeff{}",
      `${"[".repeat(10_000)}${"]".repeat(10_000)}`,
      "",
    ];
    const baseURL = await serve((request, response) => {
      response.end(bodies[Number(request.url?.split("/").at(-1))]);
    });
    const dir = await newFolder();
    const talk = async ({ get }: Started) => {
      const said: string[] = [];
      for (const index of bodies.keys()) {
        said.push(Buffer.from(await (await get(`/said/${index}`)).arrayBuffer()).toString());
      }
      return said;
    };
    const recorder = await recordFrom(baseURL, dir);
    expect(await talk(recorder)).toEqual(bodies);
    await recorder.emulator.close();
    expect(await talk(await startEmulator({ replay: { dir } }))).toEqual(bodies);
  });
});

describe("a stream that is recorded", () => {
  const EVENTS = [
    'data: {"id":"1","choices":[{"index":0,"delta":{"content":"你"}}]}\n\n',
    ": comment\n\n",
    'event: done\ndata: {"id": "1"}\r\n\r\n',
    "data: two\ndata: lines\n\n",
    "data: [DONE]\n\n",
    "data: no end",
  ];

  it.each(["events", "whole", "bytes", "cuts"] as const)(
    "comes in the same bytes at the pace %s",
    async (pace) => {
      const baseURL = await serve(async (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const byte of Buffer.from(EVENTS.join(""))) {
          response.write(Buffer.of(byte));
          await new Promise((resolve) => setImmediate(resolve));
        }
        response.end();
      });
      const dir = await newFolder();
      const recorder = await recordFrom(baseURL, dir, { pace });
      const body = { model: "m", stream: true, messages: QUESTION };
      expect(await (await recorder.post("/chat/completions", body)).text()).toBe(EVENTS.join(""));
      await recorder.emulator.close();
      const { events } = (await onlyRecording(dir)).response;
      expect(events?.map((event) => event.data ?? event.text)).toEqual([
        { id: "1", choices: [{ index: 0, delta: { content: "你" } }] },
        ...EVENTS.slice(1),
      ]);
      const times = events?.map(({ atMs }) => atMs) ?? [];
      expect(times).toEqual([...times].sort((one, other) => one - other));
      const replayer = await startEmulator({ replay: { dir }, pace });
      expect(await (await replayer.post("/chat/completions", body)).text()).toBe(EVENTS.join(""));
    },
  );

  it("takes the time that it took, times the scale", async () => {
    const dir = await newFolder();
    const baseURL = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).end("data: {}\n\ndata: [DONE]\n\n");
    });
    const recorder = await recordFrom(baseURL, dir);
    const body = { model: "m", stream: true, messages: QUESTION };
    await (await recorder.post("/chat/completions", body)).text();
    await recorder.emulator.close();
    const [[name = "", bytes] = []] = [...(await readAll(dir))];
    const slow = (bytes?.toString() ?? "").replace(/"atMs":\d+,"text"/, '"atMs":3600000,"text"');
    await writeFile(join(dir, name), slow);
    const read = async (timeScale: number) => {
      const { post } = await startEmulator({ replay: { dir, timeScale } });
      const reader = (await post("/chat/completions", body)).body?.getReader();
      const first = await reader?.read();
      const second = reader?.read().then(({ value }) => Buffer.from(value ?? []).toString());
      return { first: Buffer.from(first?.value ?? []).toString(), second, cancel: () => reader?.cancel() };
    };
    const waiting = await read(1);
    expect(waiting.first).toBe("data: {}\n\n");
    const pending = Symbol("pending");
    const later = new Promise((resolve) => setTimeout(resolve, 50, pending));
    expect(await Promise.race([waiting.second, later])).toBe(pending);
    await waiting.cancel();
    // A 36 millionth of an hour is next to nothing.
    const quick = await read(1e-7);
    expect(await quick.second).toBe("data: [DONE]\n\n");
  });
});

describe("what a replay gives", () => {
  /** A server that counts its answers. */
  const counting = () => {
    let count = 0;
    return serve((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(`{"count":${++count}}`);
    });
  };
  const count = async (response: Promise<Response>) => (await (await response).json()) as { count: number };

  it("is the nth recording for the nth equal call, then the last again, or nothing where that is wanted", async () => {
    const dir = await newFolder();
    const recorder = await recordFrom(await counting(), dir);
    const ask = (started: Started, more = {}) =>
      count(started.post("/chat/completions", { model: "m", messages: QUESTION, ...more }));
    expect(await ask(recorder)).toEqual({ count: 1 });
    expect(await ask(recorder, { user: "somebody", seed: 7, metadata: { run: 1 } })).toEqual({ count: 2 });
    expect(await ask(recorder, { temperature: 0 })).toEqual({ count: 3 });
    expect(await ask(recorder, { metadata: { size: "512x512" } })).toEqual({ count: 4 });
    await recorder.emulator.close();

    const again = await startEmulator({ replay: { dir } });
    const reversed = {
      messages: QUESTION.map(({ role, content }) => ({ content, role })),
      user: "another",
      model: "m",
    };
    expect(await count(again.post("/chat/completions", reversed))).toEqual({ count: 1 });
    expect(await ask(again, { temperature: 0 })).toEqual({ count: 3 });
    expect(await ask(again)).toEqual({ count: 2 });
    expect(await ask(again)).toEqual({ count: 2 });
    expect(again.emulator.journal.list().at(-1)?.why?.join()).toContain("given again: there are no more");
    expect(again.emulator.recordings.unused().map(({ file }) => file)).toEqual([
      expect.stringMatching(/^post-chat-completions-/),
    ]);
    again.emulator.reset();
    expect(await ask(again)).toEqual({ count: 1 });
    expect(again.emulator.recordings.unused()).toHaveLength(1);

    const strict = await startEmulator({ replay: { dir, exhausted: "miss" } });
    await ask(strict);
    await ask(strict);
    const third = await strict.post("/chat/completions", { model: "m", messages: QUESTION });
    expect(await errorOf(third)).toMatchObject({
      status: 404,
      message: expect.stringContaining("was recorded 2 times"),
    });

    const lenient = await startEmulator({ replay: { dir, ignore: ["temperature"] } });
    expect((await ask(lenient, { temperature: 0.7 })).count).toBeGreaterThan(0);
  });

  it("is the last again for a GET in any case, and a GET that brings the same is recorded once", async () => {
    const states = ["queued", "queued", "running", "running", "done", "done"];
    const baseURL = await serve((_request, response) => {
      response.end(JSON.stringify({ status: states.shift() ?? "done" }));
    });
    const dir = await newFolder();
    const recorder = await recordFrom(baseURL, dir);
    for (let poll = 0; poll < 8; poll++) await (await recorder.get("/videos/1")).text();
    await recorder.emulator.close();
    expect((await readAll(dir)).size).toBe(3);
    const replayer = await startEmulator({ replay: { dir, exhausted: "miss" } });
    const seen: unknown[] = [];
    for (let poll = 0; poll < 4; poll++)
      seen.push(((await (await replayer.get("/videos/1")).json()) as { status: string }).status);
    expect(seen).toEqual(["queued", "running", "done", "done"]);
  });

  it("is of the group that is used, which has a folder of its own", async () => {
    const dir = await newFolder();
    const recorder = await recordFrom(await counting(), dir);
    const ask = ({ post }: Started) => count(post("/chat/completions", { model: "m", messages: QUESTION }));
    recorder.emulator.recordings.use("refunds");
    expect(await ask(recorder)).toEqual({ count: 1 });
    recorder.emulator.recordings.use("../Étage > two");
    expect(await ask(recorder)).toEqual({ count: 2 });
    await recorder.emulator.close();
    const folders = [...(await readAll(dir)).keys()].map((file) => file.split("/")[0]).sort();
    expect(folders).toEqual(["refunds", expect.stringMatching(/^tage-two-[0-9a-f]{8}$/)]);

    const replayer = await startEmulator({ replay: { dir } });
    const control = new URL("/_emulator/api/", replayer.emulator.url);
    const unused = async () =>
      ((await (await fetch(new URL("recordings?unused=true", control))).json()) as { data: unknown[] }).data;
    const missed = await replayer.post("/chat/completions", { model: "m", messages: QUESTION });
    expect(await errorOf(missed)).toMatchObject({
      status: 404,
      message: expect.stringContaining("2 recordings are in other groups"),
    });
    const used = await fetch(new URL("recordings/use", control), {
      ...{ method: "POST", headers: { "content-type": "application/json" } },
      body: JSON.stringify({ group: "../Étage > two" }),
    });
    expect(used.status).toBe(204);
    expect(await unused()).toHaveLength(2);
    expect(await ask(replayer)).toEqual({ count: 2 });
    expect(await unused()).toEqual([
      expect.objectContaining({
        group: "refunds",
        method: "POST",
        path: "/v1/chat/completions",
        used: false,
      }),
    ]);
    replayer.emulator.recordings.use("refunds");
    expect(await ask(replayer)).toEqual({ count: 1 });
  });

  it("is nothing for what was not recorded, and says what is nearest", async () => {
    const dir = await newFolder();
    const recorder = await recordFrom(await counting(), dir);
    const long = "x".repeat(5_000);
    const text = (last: string) => [
      { role: "system", content: "You are kind." },
      { role: "user", content: `${long}${last}` },
    ];
    await count(recorder.post("/chat/completions", { model: "m", messages: text("one"), temperature: 0.5 }));
    await count(recorder.post("/chat/completions", { model: "other", messages: [] }));
    await recorder.emulator.close();
    const { post, get, openai, emulator } = await startEmulator({ replay: { dir } });
    const { message, status, code } = await errorOf(
      await post("/chat/completions", { model: "m", messages: text("two") }),
    );
    expect([status, code]).toEqual([404, "no_recording"]);
    expect(message).toContain(
      `messages[1].content (recorded "…${"x".repeat(20)}one", sent "…${"x".repeat(20)}two")`,
    );
    expect(message).toContain("temperature (recorded 0.5, sent none)");
    expect(message.length).toBeLessThan(500);
    expect((await errorOf(await get("/chat/completion"))).message).toContain(
      "there are POST /v1/chat/completions",
    );
    openai.maxRetries = 5;
    await expect(openai.chat.completions.create({ model: "m", messages: QUESTION })).rejects.toThrow("404");
    expect(emulator.journal.list({ method: "POST" })).toHaveLength(2);
  });

  it("keeps the checks of callers, the faults and the scripts of the emulator before it", async () => {
    const dir = await newFolder();
    const recorder = await recordFrom(await counting(), dir);
    const ask = ({ post }: Started, key?: string) =>
      post("/chat/completions", { model: "m", messages: QUESTION }, key);
    recorder.emulator.faults.add({ kind: "drop-before", times: 1 });
    await expect(ask(recorder)).rejects.toThrow();
    expect((await ask(recorder, "sk-nobody")).status).toBe(401);
    recorder.emulator.replies.add({ reply: "scripted", times: 1 });
    expect(await (await ask(recorder)).json()).toMatchObject({
      choices: [{ message: { content: "scripted" } }],
    });
    recorder.emulator.faults.add({ kind: "drop-after", times: 1 });
    await expect(ask(recorder)).rejects.toThrow();
    expect(await (await ask(recorder)).json()).toEqual({ count: 2 });
    await recorder.emulator.close();
    const replayer = await startEmulator({ replay: { dir } });
    replayer.emulator.faults.add({ kind: "status", status: 503, times: 1 });
    expect((await ask(replayer)).status).toBe(503);
    // The answer that was dropped says nothing of what the upstream would have said.
    expect(await (await ask(replayer)).json()).toEqual({ count: 2 });
  });

  it("covers paths of the upstream that the emulator does not know, below all base addresses", async () => {
    const paths: string[] = [];
    const baseURL = await serve((request, response) => {
      paths.push(`${request.method} ${request.url}`);
      response.end("{}");
    });
    const dir = await newFolder();
    const recorder = await recordFrom(baseURL, dir);
    const { origin } = new URL(recorder.emulator.url);
    const calls = [
      ["POST", "/v1/rerank?b=2&a=1"],
      ["DELETE", "/cdn/v1/things/1"],
      ["GET", "/specialized/api/usage/token"],
      ["GET", "/api/pricing"],
    ] as const;
    const all = async (at: string) =>
      Promise.all(
        calls.map(([method, path]) =>
          fetch(at + path, { method, headers: bearer("sk-emulator") }).then(({ status }) => status),
        ),
      );
    expect(await all(origin)).toEqual([200, 200, 200, 200]);
    expect(paths.sort()).toEqual([
      "DELETE /v1/things/1",
      "GET /api/pricing",
      "GET /api/usage/token",
      "POST /v1/rerank?b=2&a=1",
    ]);
    await recorder.emulator.close();
    const replayer = await startEmulator({ replay: { dir } });
    expect(await all(new URL(replayer.emulator.url).origin)).toEqual([200, 200, 200, 200]);
    expect((await replayer.post("/rerank?a=1&b=2", undefined)).status).toBe(200);
    expect((await fetch(`${replayer.emulator.url}/models`, { method: "HEAD" })).status).toBe(404);
  });
});

describe("links", () => {
  it("lead through the emulator, are recorded without their signatures, and lead back in requests", async () => {
    const asked: string[] = [];
    const sent: unknown[] = [];
    const elsewhere = (
      await serve((request, response) => {
        asked.push(`${request.headers.authorization} ${request.url}`);
        if (request.url?.startsWith("/v1/moved"))
          response.writeHead(302, { location: "/v1/there.png" }).end();
        else response.writeHead(200, { "content-type": "image/png" }).end(PNG);
      })
    ).replace("127.0.0.1", "localhost");
    let round = 0;
    const baseURL = await serve((request, response, body) => {
      if (body.length > 0) sent.push(JSON.parse(body.toString()));
      const own = `http://${request.headers.host}`;
      const signature = `X-Amz-Signature=${"f".repeat(60)}${++round}&X-Amz-Date=2026${round}`;
      const answer = {
        video_url: `${elsewhere}/film.mp4?file=3&${signature}`,
        moved: `${elsewhere}/moved?signature=${"f".repeat(60)}${round}`,
        text: `See ${own}/v1/videos/1 and ![it](${elsewhere}/a.png). Not https://example.com/page.`,
        callback_url: "https://example.com/callback",
      };
      response.writeHead(200, { "content-type": "application/json" });
      // As Go and PHP write it.
      response.end(JSON.stringify(answer).replaceAll("&", "\\u0026").replaceAll("://", ":\\/\\/"));
    });
    const dir = await newFolder();
    const recorder = await recordFrom(baseURL, dir);
    const talk = async ({ emulator, post }: Started) => {
      const { origin } = new URL(emulator.url);
      const answer = async () =>
        JSON.parse(await (await post("/things", { model: "m" })).text()) as Record<string, string>;
      const one = await answer();
      const two = await answer();
      const film = await fetch(one["video_url"] ?? "");
      const bytes = Buffer.from(await film.arrayBuffer()).toString("base64");
      const moved = await fetch(one["moved"] ?? "");
      const again = await post("/things", { model: "m", image: one["moved"] });
      await again.text();
      return placeless(emulator, JSON.stringify({ one, two, bytes, moved: moved.status, origin }));
    };
    const recorded = await talk(recorder);
    const { one, two, moved } = JSON.parse(recorded) as Record<string, Record<string, string>>;
    expect(one).toEqual(two);
    expect(moved).toBe(200);
    expect(one).toEqual({
      video_url: expect.stringMatching(/^here\/recorded\/[0-9a-f]{12}\/film\.mp4$/),
      moved: expect.stringMatching(/^here\/recorded\/[0-9a-f]{12}\/moved$/),
      text: expect.stringMatching(
        /^See here\/v1\/videos\/1 and !\[it\]\(here\/recorded\/[0-9a-f]{12}\/a\.png\)\. Not https:\/\/example\.com\/page\.$/,
      ),
      callback_url: "https://example.com/callback",
    });
    // The one that was signed last, without the key; and the upstream gets its own link back.
    expect(asked).toEqual([
      expect.stringMatching(/^undefined \/v1\/film\.mp4\?file=3&X-Amz-Signature=f{60}2&/),
      expect.stringMatching(/^undefined \/v1\/moved\?signature=f{60}2$/),
      "undefined /v1/there.png",
    ]);
    expect(sent.at(-1)).toEqual({
      model: "m",
      image: expect.stringContaining(`${elsewhere}/moved?signature=f`),
    });
    await recorder.emulator.close();
    for (const bytes of (await readAll(dir)).values()) expect(bytes.includes("ffff")).toBe(false);
    const replayer = await startEmulator({ replay: { dir } });
    expect(await talk(replayer)).toBe(recorded);
    expect((await fetch(new URL("/recorded/000000000000/x.png", replayer.emulator.url))).status).toBe(404);
    const unknown = await recordFrom(baseURL, await newFolder());
    const nowhere = await fetch(new URL("/recorded/000000000000/x.png", unknown.emulator.url));
    expect(await errorOf(nowhere)).toMatchObject({ status: 404, code: "no_such_link" });
  });

  it.each([1, 2, 3, 7, 1_000])(
    "are led in the text of a stream, too, that comes %i characters at a time",
    async (size) => {
      const asked: string[] = [];
      const text =
        "Here: ![a fox](LINK/v1/a.png?signature=abcdef&x=1), with https://example.com/h, and sk-abcdefghijklmnopqrstuv. h";
      const baseURL = await serve((request, response) => {
        if (request.method === "GET") {
          asked.push(request.url ?? "");
          response.writeHead(200, { "content-type": "image/png" }).end(PNG);
          return;
        }
        response.writeHead(200, { "content-type": "text/event-stream" });
        const said = text.replace("LINK", `http://${request.headers.host}`);
        for (let at = 0; at < said.length; at += size) {
          const delta = { content: said.slice(at, at + size) };
          const chunk = {
            id: "h",
            model: "model-h",
            choices: [
              { index: 0, delta },
              { index: 1, delta: { content: "h" } },
            ],
          };
          response.write(`data: ${JSON.stringify(chunk)}\n\n`);
        }
        response.end("data: [DONE]\n\n");
      });
      const dir = await newFolder();
      const talk = async ({ emulator, openai }: Started) => {
        const stream = await openai.chat.completions.create({ model: "m", stream: true, messages: QUESTION });
        let said = "";
        for await (const { choices } of stream) said += choices[0]?.delta.content ?? "";
        const [, link = ""] = /\]\((.*?)\)/.exec(said) ?? [];
        const picture = Buffer.from(await (await fetch(link)).arrayBuffer());
        return { said: placeless(emulator, said), isPicture: picture.equals(PNG) };
      };
      const recorder = await recordFrom(baseURL, dir);
      const recorded = await talk(recorder);
      expect(recorded.isPicture).toBe(true);
      expect(recorded.said).toMatch(
        /^Here: !\[a fox\]\(here\/recorded\/[0-9a-f]{12}\/a\.png\), with https:\/\/example\.com\/h, and sk-a/,
      );
      expect(asked).toEqual(["/v1/a.png?signature=abcdef&x=1"]);
      await recorder.emulator.close();
      const replayed = await talk(await startEmulator({ replay: { dir } }));
      expect(replayed).toEqual({ ...recorded, said: recorded.said.replace(/sk-\w+/, "[redacted]") });
    },
  );
});

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
