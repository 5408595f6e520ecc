import { describe, expect, it } from "vitest";
import { createEmulator } from "../index.js";
import { errorOf, startEmulator } from "../testing/start-emulator.js";

const chat = {
  model: "local-chat",
  messages: [{ role: "user", content: "Repeat: the train leaves at noon from platform four" }],
};
const image = { model: "local-image", prompt: "a fox", size: "1024x1024" };
/** 1024 × 1024 pixels are 4096 tokens, of which a thousand cost as many units. */
const IMAGE_UNITS = 4_096;

describe("a quota", () => {
  it("that cannot pay for a call refuses it with 403, and nothing is charged", async () => {
    const { emulator, post } = await startEmulator({
      keys: [{ key: "sk-poor-0123456789", group: "default", quota: IMAGE_UNITS - 1 }],
    });
    expect(await errorOf(await post("/images/generations", image, "sk-poor-0123456789"))).toEqual({
      status: 403,
      type: "permission_error",
      code: "insufficient_user_quota",
      message: expect.stringMatching(/^The quota of the API key sk-…6789 .*4096 units and 4095 are left/),
    });
    expect(emulator.ledger.list()).toEqual([]);
    emulator.keys.update("sk-poor-0123456789", { quota: IMAGE_UNITS });
    expect((await post("/images/generations", image, "sk-poor-0123456789")).status).toBe(200);
    expect((await post("/images/generations", image, "sk-poor-0123456789")).status).toBe(403);
  });

  it("answers a call that was let in though it costs more than there was, and none after it", async () => {
    const { emulator, post } = await startEmulator({
      keys: [{ key: "sk-small", group: "default", quota: 10 }],
    });
    expect((await post("/chat/completions", chat, "sk-small")).status).toBe(200);
    expect(emulator.ledger.total("sk-small").units).toBeGreaterThan(10);
    expect((await post("/chat/completions", chat, "sk-small")).status).toBe(403);
  });

  it("is not spent twice by calls at the same time", async () => {
    const { emulator, post } = await startEmulator({
      keys: [{ key: "sk-three", group: "default", quota: 3 * IMAGE_UNITS }],
      latency: 1,
    });
    const body = { ...image, response_format: "b64_json", output_format: "png" };
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => post("/images/generations", body, "sk-three")),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 403, 403, 403]);
    expect(emulator.ledger.total("sk-three")).toMatchObject({ calls: 3, units: 3 * IMAGE_UNITS });
  });

  it("bounds only what costs something, and not what failed", async () => {
    const { emulator, get, post } = await startEmulator({
      keys: [{ key: "sk-none", group: "default", quota: 0 }],
    });
    expect((await get("/models", "sk-none")).status).toBe(200);
    expect((await post("/chat/completions", chat, "sk-none")).status).toBe(403);
    emulator.keys.update("sk-none", { quota: 1_000_000 });
    emulator.faults.add({ kind: "status", status: 500, times: 1 });
    expect((await post("/chat/completions", chat, "sk-none")).status).toBe(500);
    expect((await post("/chat/completions", { ...chat, temperature: 9 }, "sk-none")).status).toBe(400);
    expect(emulator.ledger.total()).toEqual({ calls: 0, units: 0, amount: 0 });
  });

  it("is a whole number of units", () => {
    const { keys } = createEmulator();
    expect(() => keys.add({ key: "sk-a", group: "default", quota: -1 })).toThrow("quota of a key");
    expect(() => keys.update("sk-emulator", { quota: 0.5 })).toThrow("quota of a key");
  });
});
