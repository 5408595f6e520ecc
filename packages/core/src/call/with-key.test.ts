import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { API_KEY, gatewayFor } from "../../test/gateways.js";
import { completion, errorBody, sendJSON, startServer } from "../../test/scripted-server.js";
import type { VideoTaskHandle } from "../index.js";

const CHAT = { model: "m", messages: [{ role: "user" as const, content: "hi" }] };
const OTHER_KEY = "sk-another-key";
const HANDLE: VideoTaskHandle = { v: 1, family: "content", id: "t1" };

describe("a client with another key", () => {
  it("sends that key with everything, downloads included, and leaves the first one its own", async () => {
    const server = await startServer(({ path }, response) => {
      if (path === "/v1/chat/completions") sendJSON(response, completion("hi"));
      else if (path === "/v1/videos/t1") sendJSON(response, { id: "t1", status: "running" });
      else response.end("x");
    });
    const gateway = gatewayFor(server.url);
    let asked = 0;
    const other = gateway.withKey(async () => `${OTHER_KEY}-${++asked}`);
    await other.chat.completions.create(CHAT);
    await other.videos.poll(HANDLE);
    await (await other.download(`${gateway.baseURL}/file`)).bytes();
    await gateway.videos.poll(HANDLE);
    expect(server.requests.map(({ headers }) => headers["authorization"])).toEqual([
      ...[1, 2, 3].map((count) => `Bearer ${OTHER_KEY}-${count}`),
      `Bearer ${API_KEY}`,
    ]);
    expect(inspect(other.withKey(OTHER_KEY), { showHidden: true, depth: 20 })).not.toContain(OTHER_KEY);
    expect(JSON.stringify(other)).toBe(JSON.stringify(gateway));
    expect(() => gateway.withKey("no key")).toThrow(/spaces/);
  });

  it("shares places with the first one, and the pace of polls", async () => {
    const underWay = { now: 0, most: 0 };
    const server = await startServer(({ path }, response) => {
      if (path !== "/v1/models") return sendJSON(response, errorBody("slow down"), 429);
      underWay.most = Math.max(underWay.most, ++underWay.now);
      setImmediate(() => {
        underWay.now -= 1;
        sendJSON(response, { data: [] });
      });
    });
    const gateway = gatewayFor(server.url, { maxConcurrency: 1, maxPollsPerSecond: 8, logLevel: "off" });
    const other = gateway.withKey(OTHER_KEY);
    await Promise.all([gateway, other, other.withKey(API_KEY)].map(({ models }) => models.list()));
    expect(underWay.most).toBe(1);
    const watch = other.videos.watch(HANDLE, { timeoutMs: 60_000 });
    const ended = watch.next();
    await expect.poll(() => gateway.videos.pollPace.perSecond).toBeLessThan(8);
    expect(gateway.videos.pollPace).toMatchObject({ maxPerSecond: 8 });
    await watch.return?.();
    expect(await ended).toMatchObject({ done: true });
  });
});
