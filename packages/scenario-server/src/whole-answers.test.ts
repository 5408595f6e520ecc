import { connect } from "node:net";
import { gunzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import type { Answer } from "./answer.js";
import { type ScenarioServer, startScenarioServer } from "./scenario-server.js";
import {
  answerWith,
  breakAfterRequest,
  compress,
  cutShort,
  dribble,
  lieAboutLength,
  repeat,
  stall,
} from "./whole-answers.js";

const BODY = { text: "héllo" };
const TEXT = JSON.stringify(BODY);
const BYTES = Buffer.from(TEXT);

async function start(answer?: Answer): Promise<ScenarioServer> {
  const server = await startScenarioServer();
  onTestFinished(() => server.close());
  if (answer) server.answer(answer);
  return server;
}

/** The bytes after the head, up to the end of the connection or until so many have come. */
async function read(server: ScenarioServer, until = Number.POSITIVE_INFINITY) {
  const received: Buffer[] = [];
  const bodyOf = () => {
    const bytes = Buffer.concat(received);
    const headEnd = bytes.indexOf("\r\n\r\n");
    return headEnd === -1
      ? undefined
      : { head: bytes.subarray(0, headEnd).toString(), body: bytes.subarray(headEnd + 4) };
  };
  const end = await new Promise<string>((resolve) => {
    const options = { port: Number(new URL(server.url).port), host: "127.0.0.1", allowHalfOpen: true };
    const socket = connect(options, () =>
      socket.write(
        "POST /v1/x HTTP/1.1\r\nhost: x\r\naccept-encoding: identity\r\ncontent-length: 2\r\n\r\n{}",
      ),
    );
    socket.on("data", (data) => {
      received.push(data);
      const seen = bodyOf();
      if (seen && seen.body.length >= until) resolve("open");
    });
    // A reset that comes with the last bytes looks like an end, until one writes.
    socket.on("end", () => socket.write("x", (error) => resolve(error ? "rst" : "fin")));
    socket.on("error", () => resolve("rst"));
    onTestFinished(() => void socket.destroy());
  });
  return { end, ...bodyOf() };
}

it("counts requests that arrived wholly, and those that did not", async () => {
  const server = await start(answerWith({ body: BODY }));
  expect(await (await fetch(`${server.url}/a?b=1`, { method: "POST", body: TEXT })).json()).toEqual(BODY);
  expect(server.requests).toMatchObject([{ method: "POST", path: "/v1/a?b=1", json: BODY, text: TEXT }]);
  const begun = connect(Number(new URL(server.url).port), "127.0.0.1", () =>
    begun.write("POST /v1/x HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\nhalf", () => begun.end()),
  );
  await expect.poll(() => server.begun).toBe(2);
  await fetch(server.url);
  expect(server.requests.map(({ method }) => method)).toEqual(["POST", "GET"]);
  expect(server.begun).toBe(3);
});

it("answers once, by path, for all, and not at all", async () => {
  const server = await start();
  expect((await fetch(`${server.url}/a`)).status).toBe(404);
  server.answer(answerWith({ body: "all" }));
  server.answer(answerWith({ body: "a" }), "/v1/a");
  server.answerOnce(answerWith({ body: "once", status: 500 }));
  const ask = async (path: string) => (await fetch(server.url + path)).text();
  expect([await ask("/a"), await ask("/a"), await ask("/b")]).toEqual(["once", "a", "all"]);
});

it("resolves once so many requests have arrived", async () => {
  const server = await start(answerWith({ body: BODY }));
  const arrived = server.arrived(2);
  await Promise.all([fetch(server.url), fetch(server.url)]);
  await arrived;
  await server.arrived(1);
  expect(server.requests).toHaveLength(2);
});

it.each(["rst", "fin"] as const)("takes a request and breaks the connection by %s", async (how) => {
  const server = await start(breakAfterRequest(how));
  expect(await read(server)).toEqual({ end: how });
  expect(server.requests).toHaveLength(1);
});

it.each([5, -5])("lies about the length by %d", async (by) => {
  const { head, body, end } = await read(
    await start(lieAboutLength({ body: BODY, headers: { "x-a": "b" } }, by)),
  );
  expect(head).toContain(`content-length: ${BYTES.length + by}\r\nx-a: b`);
  expect([body?.toString(), end]).toEqual([TEXT, "fin"]);
});

it("compresses although it was told not to", async () => {
  const { head, body } = await read(await start(compress({ body: BODY }, "gzip")), 20);
  expect(head?.toLowerCase()).toContain("content-encoding: gzip");
  expect(gunzipSync(body as Buffer).toString()).toBe(TEXT);
});

it("stalls after the head, or after some bytes", async () => {
  expect(await read(await start(stall({ body: BODY })), 0)).toMatchObject({
    end: "open",
    body: Buffer.alloc(0),
  });
  expect(await read(await start(stall({ body: BODY }, 3)), 3)).toMatchObject({ body: BYTES.subarray(0, 3) });
});

it("answers twice to one request", async () => {
  const { head, body } = await read(await start(repeat({ body: BODY })));
  expect(body?.toString().split(head as string)).toHaveLength(2);
});

it("dribbles", async () => {
  const { body } = await read(await start(dribble({ body: BODY })), BYTES.length);
  expect(body?.toString()).toBe(TEXT);
});

it.each(["rst", "fin"] as const)("cuts a body short by %s", async (how) => {
  const { head, body, end } = await read(await start(cutShort({ body: BODY }, 4, how)));
  expect(head?.toLowerCase()).toContain(`content-length: ${BYTES.length}`);
  expect([body?.toString(), end]).toEqual([TEXT.slice(0, 4), how]);
});
