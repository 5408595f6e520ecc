import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { errorOf, gatewayFor } from "../../test/gateways.js";
import { chunk, completion } from "../../test/scripted-server.js";
import type { FetchFunction } from "../index.js";

const CHAT = { model: "m", messages: [{ role: "user" as const, content: "hi" }] };
const WHOLE = JSON.stringify(completion("Hello"));
const EVENTS = [chunk("Hel"), chunk("lo", "stop")].map((event) => `data: ${JSON.stringify(event)}\n\n`);

/** What older fetch functions answer with: the same head, another kind of body. */
const answering =
  (body: object, type = "application/json"): FetchFunction =>
  async () =>
    ({ status: 200, headers: new Headers({ "content-type": type }), ...body }) as unknown as Response;

describe("a fetch function of the user's", () => {
  it("may answer with a stream of Node's, as node-fetch does", async () => {
    const fetch = answering({
      body: Readable.from([Buffer.from(WHOLE.slice(0, 9)), Buffer.from(WHOLE.slice(9))]),
    });
    const { choices } = await gatewayFor("https://gateway.example/v1", { fetch }).chat.completions.create(
      CHAT,
    );
    expect(choices[0]?.message.content).toBe("Hello");
    const streaming = answering(
      { body: Readable.from(EVENTS.map((event) => Buffer.from(event))) },
      "text/event-stream",
    );
    const stream = await gatewayFor("https://gateway.example/v1", {
      fetch: streaming,
    }).chat.completions.create({
      ...CHAT,
      stream: true,
    });
    expect((await stream.finalCompletion()).choices[0]?.message.content).toBe("Hello");
  });

  it("may answer with nothing but arrayBuffer(), as React Native does", async () => {
    const fetch = answering({ arrayBuffer: async () => new TextEncoder().encode(WHOLE).buffer });
    const { choices } = await gatewayFor("https://gateway.example/v1", { fetch }).chat.completions.create(
      CHAT,
    );
    expect(choices[0]?.message.content).toBe("Hello");
  });

  it("whose body nobody can read is told once, and the call is not made again", async () => {
    let calls = 0;
    const fetch: FetchFunction = async (...args) => {
      calls++;
      return answering({ body: { pipe() {} } })(...args);
    };
    const gateway = gatewayFor("https://gateway.example/v1", { fetch });
    const error = await errorOf(
      gateway.videos.create({ model: "m", content: [{ type: "text", text: "x" }] }),
    );
    expect(error).toMatchObject({
      kind: "configuration",
      option: "fetch",
      attempts: 1,
      maybeProcessed: true,
    });
    expect((error as Error).message).toMatch(/body that nobody can read.*The request was sent.*billed/);
    expect(calls).toBe(1);
  });

  it("whose body ends before its declared length was cut off", async () => {
    const fetch: FetchFunction = async () =>
      new Response("{}", { headers: { "content-type": "application/json", "content-length": "3" } });
    const error = await errorOf(
      gatewayFor("https://gateway.example/v1", { fetch, maxRetries: 0 }).models.list(),
    );
    expect(error).toMatchObject({ kind: "connection" });
    const decoded: FetchFunction = async () =>
      new Response('{"data":[]}', { headers: { "content-encoding": "gzip", "content-length": "30" } });
    expect(await gatewayFor("https://gateway.example/v1", { fetch: decoded }).models.list()).toEqual([]);
  });

  it("that follows nothing and throws what it likes gives errors of ours", async () => {
    for (const thrown of [undefined, null, "text", { code: "ECONNREFUSED" }]) {
      const fetch: FetchFunction = () => Promise.reject(thrown);
      const error = await errorOf(
        gatewayFor("https://gateway.example/v1", { fetch, maxRetries: 0 }).models.list(),
      );
      expect(error).toMatchObject({ kind: "connection" });
    }
  });
});
