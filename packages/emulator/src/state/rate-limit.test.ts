import { describe, expect, it } from "vitest";
import { createEmulator } from "../index.js";
import { errorOf, startEmulator } from "../testing/start-emulator.js";

const limited = { key: "sk-slow", group: "default", rateLimit: { requests: 2, windowMs: 3_600_000 } };
const MINUTE = 60_000;

/** The minutes until the window has room, rounded up: the clock goes on while a test runs. */
const minutesToWait = (response: Response) => Math.ceil(Number(response.headers.get("retry-after")) / 60);

describe("a rate limit", () => {
  it("answers 429 with the seconds until the window has room, by the emulator's clock", async () => {
    const { emulator, get } = await startEmulator({ keys: [limited] });
    const list = () => get("/models", "sk-slow");
    expect((await list()).status).toBe(200);
    await emulator.clock.advance(20 * MINUTE);
    expect((await list()).status).toBe(200);
    const refused = await list();
    expect(minutesToWait(refused)).toBe(40);
    expect(await errorOf(refused)).toMatchObject({
      status: 429,
      type: "rate_limit_error",
      code: "rate_limit_exceeded",
      message: expect.stringContaining("2 requests in 3600000 ms"),
    });
    await emulator.clock.advance(40 * MINUTE);
    expect((await list()).status).toBe(200);
    const again = await list();
    expect([again.status, minutesToWait(again)]).toEqual([429, 20]);
  });

  it("is told with each answer: what there is, what is left, and when all of it is back", async () => {
    const { emulator, get } = await startEmulator({ keys: [limited] });
    const told = async () => {
      const { headers } = await get("/models", "sk-slow");
      return ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}-requests`));
    };
    const hour = expect.stringMatching(/^(60m0s|59m\d+s)$/);
    expect(await told()).toEqual(["2", "1", hour]);
    await emulator.clock.advance(59.5 * MINUTE);
    expect(await told()).toEqual(["2", "0", expect.stringMatching(/^([12]?\ds|30s)$/)]);
    expect(await told()).toEqual(["2", "0", expect.stringMatching(/s$/)]);
    const { headers } = await get("/models");
    expect([...headers.keys()].filter((name) => name.startsWith("x-ratelimit"))).toEqual([]);
  });

  it("counts the requests of one key only, whatever they are", async () => {
    const { get, post } = await startEmulator({ keys: [limited] });
    expect((await post("/chat/completions", {}, "sk-slow")).status).toBe(400);
    expect((await get("/videos/none", "sk-slow")).status).toBe(404);
    expect((await get("/models", "sk-slow")).status).toBe(429);
    expect((await get("/models")).status).toBe(200);
  });

  it("follows a changed limit, a clock that is set back, and a reset", async () => {
    const { emulator, get } = await startEmulator({ keys: [limited] });
    const status = async () => (await get("/models", "sk-slow")).status;
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
    emulator.keys.update("sk-slow", { rateLimit: { requests: 3, windowMs: 3_600_000 } });
    expect([await status(), await status()]).toEqual([200, 429]);
    await emulator.clock.set(emulator.clock.now() - 90 * MINUTE);
    expect(await status()).toBe(200);
    emulator.keys.update("sk-slow", { rateLimit: undefined });
    expect([await status(), await status(), await status()]).toEqual([200, 200, 200]);
    emulator.reset();
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
  });

  it("is refused when it makes no sense", () => {
    const { keys } = createEmulator();
    const add = (requests: number, windowMs: number) =>
      keys.add({ key: "sk-a", group: "default", rateLimit: { requests, windowMs } });
    expect(() => add(0, 1_000)).toThrow("rateLimit.requests");
    expect(() => add(1, Number.NaN)).toThrow("rateLimit.windowMs");
  });
});
