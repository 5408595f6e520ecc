import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator, type EmulatorOptions, type UpstreamOptions } from "../index.js";
import { bearer, errorOf, startEmulator } from "../testing/start-emulator.js";

const QUESTION = [{ role: "user", content: "What is 6 times 7?" }];
const THEIRS = "sk-of-the-upstream";

/** An emulator, and another one behind it that has a key and models of its own. */
async function chained(options: Partial<UpstreamOptions> = {}, more: EmulatorOptions = {}) {
  const models = [
    { id: "theirs", like: "local-chat" },
    { id: "their-images", like: "local-image-b64" },
    { id: "their-videos", like: "local-video-2.0" },
  ];
  const behind = await startEmulator({ keys: [{ key: THEIRS }], models });
  const upstream = { baseURL: behind.emulator.url, apiKey: THEIRS, ...options };
  return { behind: behind.emulator, ...(await startEmulator({ upstream, ...more })) };
}

/** An emulator before a server that does as it likes. */
async function inFrontOf(handle: Handler, options: Partial<UpstreamOptions> = {}) {
  const { baseURL } = await serve(handle);
  const started = await startEmulator({ upstream: { baseURL, ...options } });
  return {
    ...started,
    ask: (stream = false) =>
      started.post("/chat/completions", { model: "theirs", stream, messages: QUESTION }),
  };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(handle: Handler): Promise<{ baseURL: string }> {
  const server = createServer(handle).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

describe("an upstream", () => {
  it("answers for models that the emulator does not serve, and for no others", async () => {
    const { emulator, behind, openai, ask } = await chained();
    const { choices, model } = await openai.chat.completions.create({
      model: "theirs",
      messages: QUESTION as never,
    });
    expect([choices[0]?.message.content, model]).toEqual(["6 * 7 = 42", "theirs"]);
    const stream = await openai.chat.completions.create({
      model: "theirs",
      messages: QUESTION as never,
      stream: true,
    });
    let said = "";
    for await (const chunk of stream) said += chunk.choices[0]?.delta.content ?? "";
    expect(said).toBe("6 * 7 = 42");
    await ask("What is 6 times 7?");
    expect(behind.journal.list()).toHaveLength(2);
    expect(behind.ledger.total(THEIRS).calls).toBe(2);
    const [first] = emulator.journal.list();
    expect(first).toMatchObject({ model: "theirs", status: 200, complete: true });
    expect(first?.why).toEqual([`The emulator does not serve it: it was sent on to ${behind.url}.`]);
    expect(emulator.ledger.list().map((entry) => entry.model)).toEqual(["local-chat"]);
  });

  it("is never sent the key of a caller", async () => {
    const { behind, post } = await chained(
      { apiKey: undefined },
      { keys: [{ key: "sk-secret-of-a-caller" }] },
    );
    const response = await post(
      "/chat/completions",
      { model: "theirs", messages: QUESTION },
      "sk-secret-of-a-caller",
    );
    expect(response.status).toBe(401);
    const [seen] = behind.journal.list();
    expect(seen?.key).toBeNull();
    expect(JSON.stringify(behind.journal.get(seen?.id ?? ""))).not.toContain("sk-secret");
  });

  it("is sent forms whole, and asked for tasks that the emulator did not make", async () => {
    const { emulator, behind, post, get } = await chained();
    const form = new FormData();
    form.set("model", "their-images");
    form.set("prompt", "a hat");
    form.append("image", new File([new Uint8Array(9)], "a.png", { type: "image/png" }));
    const edited = await fetch(`${emulator.url}/images/edits`, {
      method: "POST",
      headers: bearer("sk-emulator"),
      body: form,
    });
    await edited.text();
    expect(behind.journal.list()[0]?.body).toMatchObject({
      prompt: "a hat",
      image: expect.stringContaining('"a.png", image/png, 9 bytes'),
    });
    const created = await post("/videos", {
      model: "their-videos",
      content: [{ type: "text", text: "a boat" }],
    });
    const { id } = (await created.json()) as { id: string };
    expect(await (await get(`/videos/${id}`)).json()).toMatchObject({ id, model: "their-videos" });
    const own = await post("/videos", {
      model: "local-video-2.0",
      content: [{ type: "text", text: "a boat" }],
    });
    const { id: ownId } = (await own.json()) as { id: string };
    expect(await (await get(`/videos/${ownId}`)).json()).toMatchObject({
      id: ownId,
      model: "local-video-2.0",
    });
    expect(behind.videos.list()).toHaveLength(1);
  });

  it("is sent a body as it came, and a form as a form also without files", async () => {
    const received: string[] = [];
    const { emulator, post } = await inFrontOf(async (request, response) => {
      let text = "";
      for await (const piece of request) text += piece;
      received.push(`${request.headers["content-type"]?.split(";")[0]} ${text}`);
      response.end("{}");
    });
    const body = '{"model": "theirs", "seed": 90071992547409931}';
    const headers = { ...bearer("sk-emulator"), "content-type": "application/json" };
    await (await fetch(`${emulator.url}/chat/completions`, { method: "POST", headers, body })).text();
    const form = new FormData();
    form.set("model", "theirs");
    form.set("prompt", "a hat");
    const edited = { method: "POST", headers: bearer("sk-emulator"), body: form };
    await (await fetch(`${emulator.url}/images/edits`, edited)).text();
    await (await post("/embeddings", { model: "theirs", input: "a" })).text();
    expect(received).toEqual([
      `application/json ${body}`,
      expect.stringMatching(/^multipart\/form-data [\s\S]*name="prompt"\r\n\r\na hat/),
      'application/json {"model":"theirs","input":"a"}',
    ]);
  });

  it("streams as it does, in whatever pieces and shapes the emulator's own streams are", async () => {
    const stream = 'data: {"id":"1","choices":[{"index":0,"delta":{"content":"你好"}}]}\n\ndata: [DONE]\n\n';
    for (const pace of ["events", "whole", "bytes", "cuts"] as const) {
      const { baseURL } = await serve(async (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const byte of Buffer.from(stream)) {
          response.write(Buffer.of(byte));
          await new Promise((resolve) => setImmediate(resolve));
        }
        response.end();
      });
      const before = await startEmulator({ upstream: { baseURL }, profile: "newapi", pace });
      const response = await before.post("/chat/completions", {
        model: "theirs",
        stream: true,
        messages: QUESTION,
      });
      expect(await response.text()).toBe(stream);
    }
  });

  it("is not asked where a script, a fault or a refusal of the key comes first", async () => {
    const { emulator, behind, post } = await chained();
    const ask = (key?: string) => post("/chat/completions", { model: "theirs", messages: QUESTION }, key);
    emulator.replies.add({ when: { model: "theirs" }, reply: "scripted", error: undefined, times: 1 });
    emulator.faults.add({ kind: "status", status: 503, times: 1 });
    expect((await ask()).status).toBe(503);
    expect((await ask("sk-unknown")).status).toBe(401);
    expect(behind.journal.list()).toEqual([]);
    const scripted = await ask();
    expect(await scripted.json()).toMatchObject({
      model: "theirs",
      choices: [{ message: { content: "scripted" } }],
    });
    expect(behind.journal.list()).toEqual([]);
    expect((await ask()).status).toBe(200);
    expect(behind.journal.list()).toHaveLength(1);
  });

  it("passes its status and what callers may use of its headers on, and nothing else", async () => {
    const { ask } = await inFrontOf((_request, response) => {
      response.writeHead(429, {
        "retry-after": "7",
        "set-cookie": "a=b",
        "x-ratelimit-limit-requests": "9",
        server: "x",
      });
      response.end('{"error":{"message":"slow down"}}');
    });
    const response = await ask();
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("7");
    expect(response.headers.get("x-ratelimit-limit-requests")).toBe("9");
    expect([response.headers.get("set-cookie"), response.headers.get("server")]).toEqual([null, null]);
    expect(await response.json()).toEqual({ error: { message: "slow down" } });
  });

  it("that is away, silent, redirects or breaks off is told as that", async () => {
    const away = await startEmulator({ upstream: { baseURL: "http://127.0.0.1:9/v1" } });
    const refused = await away.post("/chat/completions", { model: "theirs", messages: QUESTION });
    expect(await errorOf(refused)).toMatchObject({
      status: 502,
      code: "upstream_unreachable",
      message: expect.stringContaining("http://127.0.0.1:9/v1"),
    });
    const silent = await inFrontOf(() => {}, { headTimeoutMs: 30 });
    expect(await errorOf(await silent.ask())).toMatchObject({ status: 504, code: "upstream_timeout" });
    const stalling = await inFrontOf(
      (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write("data: {}\n\n");
      },
      { idleTimeoutMs: 30 },
    );
    await expect((await stalling.ask(true)).text()).rejects.toThrow();
    const moved = await inFrontOf((_request, response) =>
      response.writeHead(302, { location: "http://attacker.test/" }).end(),
    );
    const redirected = await fetch(`${moved.emulator.url}/chat/completions`, {
      ...{
        method: "POST",
        redirect: "manual",
        headers: { ...bearer("sk-emulator"), "content-type": "application/json" },
      },
      body: JSON.stringify({ model: "theirs", messages: QUESTION }),
    });
    expect([redirected.status, redirected.headers.get("location")]).toEqual([302, null]);
    const cut = await inFrontOf((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: {}\n\n", () => response.destroy());
    });
    await expect((await cut.ask(true)).text()).rejects.toThrow();
  });

  it("is left when the caller leaves", async () => {
    let left: () => void = () => {};
    const closed = new Promise<void>((resolve) => {
      left = resolve;
    });
    const { ask } = await inFrontOf((request, response) => {
      request.socket.once("close", left);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: {}\n\n");
    });
    const response = await ask(true);
    await response.body?.cancel();
    await closed;
  });

  it.each(["127.0.0.1:9", "ftp://a.test/v1", "http://a:b@a.test/v1", "http://a.test/v1?key=1", ""])(
    "cannot be at %j",
    (baseURL) => {
      expect(() => createEmulator({ upstream: { baseURL } })).toThrow("upstream.baseURL must be an address");
    },
  );

  it("cannot be waited for 0 ms", () => {
    const baseURL = "http://a.test/v1";
    expect(() => createEmulator({ upstream: { baseURL, headTimeoutMs: 0 } })).toThrow(
      "headTimeoutMs must be milliseconds",
    );
  });
});
