import { describe, expect, it } from "vitest";
import { createEmulator } from "../index.js";
import { errorOf, startEmulator } from "../testing/start-emulator.js";

describe("API keys", () => {
  it.each([
    ["missing", {}],
    ["malformed", { authorization: "sk-emulator" }],
    ["of another scheme", { authorization: "Basic sk-emulator" }],
    ["without its prefix", { authorization: "Bearer emulator" }],
    ["unknown", { authorization: "Bearer sk-unknown" }],
    ["disabled", { authorization: "Bearer sk-disabled" }],
    ["expired", { authorization: "Bearer sk-expired" }],
  ])("answer 401 when %s", async (_, headers) => {
    const { emulator } = await startEmulator({
      keys: [
        { key: "sk-disabled", group: "default", disabled: true },
        { key: "sk-expired", group: "default", expiresAt: 1_000 },
      ],
    });
    const response = await fetch(`${emulator.url}/models`, { headers: headers as HeadersInit });
    expect(await errorOf(response)).toMatchObject({
      status: 401,
      code: "invalid_api_key",
      type: "authentication_error",
    });
  });

  it("expire by the emulator's clock", async () => {
    const { emulator, get } = await startEmulator();
    emulator.keys.add({ key: "sk-short", group: "default", expiresAt: emulator.clock.now() + 3_600_000 });
    expect((await get("/models", "sk-short")).status).toBe(200);
    await emulator.clock.advance(3_600_000);
    expect((await get("/models", "sk-short")).status).toBe(401);
  });

  it("are in the group default unless they say otherwise", async () => {
    const { emulator, get } = await startEmulator({ keys: [{ key: "sk-plain" }] });
    emulator.keys.add({ key: "sk-added" });
    emulator.keys.update("sk-added", { group: undefined });
    for (const key of ["sk-plain", "sk-added"]) {
      expect(emulator.keys.list().find((each) => each.key === key)?.group).toBe("default");
      expect(await (await get("/models", key)).json()).toEqual(await (await get("/models")).json());
    }
  });

  it("reach only the models of their group and of their own list", async () => {
    const { openai, emulator, post } = await startEmulator({
      keys: [
        { key: "sk-media", group: "image_video" },
        { key: "sk-one", group: "default", models: ["local-chat"] },
      ],
    });
    const models = async (apiKey: string) => {
      const { data } = await openai.withOptions({ apiKey }).models.list();
      return data.map(({ id }) => id);
    };
    expect(await models("sk-emulator")).toEqual([
      "local-chat",
      "local-reasoner",
      "local-embedding",
      "local-image",
      "local-image-b64",
      "local-chat-image",
      "local-speech",
      "local-video-2.0",
      "local-video-1.5-pro",
      "local-image2video",
      "local-omni-video",
    ]);
    expect(await models("sk-media")).toEqual([
      "local-image",
      "local-image-b64",
      "local-chat-image",
      "local-video-2.0",
      "local-video-1.5-pro",
      "local-image2video",
      "local-omni-video",
    ]);
    expect(await models("sk-one")).toEqual(["local-chat"]);
    const refused = await post("/embeddings", { model: "local-embedding", input: "a" }, "sk-one");
    expect(await errorOf(refused)).toMatchObject({ status: 404, code: "model_not_found" });
    expect(emulator.keys.list()).toHaveLength(3);
  });

  it("can be changed and removed while the emulator runs", async () => {
    const { emulator, get } = await startEmulator();
    emulator.keys.add({ key: "sk-later" });
    expect((await get("/models", "sk-later")).status).toBe(200);
    emulator.keys.update("sk-later", { disabled: true });
    expect((await get("/models", "sk-later")).status).toBe(401);
    emulator.keys.update("sk-later", { disabled: false });
    expect(emulator.keys.remove("sk-later")).toBe(true);
    expect((await get("/models", "sk-later")).status).toBe(401);
  });

  it("are refused when they make no sense", () => {
    const { keys } = createEmulator();
    expect(() => keys.add({ key: "sk-emulator", group: "default" })).toThrow("exists");
    expect(() => keys.update("sk-none", {})).toThrow("There is no key");
    expect(() => keys.add({ key: "sk-a", group: "default", models: ["gpt"] })).toThrow('no model "gpt"');
  });
});
