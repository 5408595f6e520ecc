import { describe, expect, it } from "vitest";
import { createEmulator } from "../index.js";
import { errorOf, startEmulator } from "../testing/start-emulator.js";

describe("token groups", () => {
  it("of one's own decide what their keys reach", async () => {
    const { openai, emulator, post } = await startEmulator({
      groups: [{ name: "text", description: "Text only", rateLabel: "1x", models: ["local-chat"] }],
      keys: [{ key: "sk-text", group: "text" }],
    });
    const models = async () => {
      const { data } = await openai.withOptions({ apiKey: "sk-text" }).models.list();
      return data.map(({ id }) => id);
    };
    expect(await models()).toEqual(["local-chat"]);
    emulator.groups.update("text", { models: ["local-embedding", "local-chat"] });
    expect(await models()).toEqual(["local-chat", "local-embedding"]);
    const refused = await post("/videos", { model: "local-video-2.0", content: [] }, "sk-text");
    expect(await errorOf(refused)).toMatchObject({ status: 404, code: "model_not_found" });
  });

  it("stand in the list beside those that are always there", () => {
    const { groups } = createEmulator({ groups: [{ name: "text", models: ["local-chat"] }] });
    expect(groups.list().map(({ name }) => name)).toEqual(["default", "auto", "image_video", "text"]);
    expect(groups.list()[2]?.models).toContain("local-omni-video");
    expect(groups.list()[2]?.models).not.toContain("local-chat");
  });

  it("come back with a reset as the options had them", () => {
    const emulator = createEmulator({ groups: [{ name: "text", models: ["local-chat"] }] });
    emulator.groups.update("text", { models: [] });
    emulator.groups.add({ name: "more", models: [] });
    emulator.reset();
    expect(emulator.groups.list().slice(3)).toEqual([{ name: "text", models: ["local-chat"] }]);
  });

  it("are refused when they make no sense", () => {
    const { groups, keys } = createEmulator();
    expect(() => groups.add({ name: "default", models: [] })).toThrow("exists");
    expect(() => groups.add({ name: " ", models: [] })).toThrow("must not be empty");
    expect(() => groups.add({ name: "a", models: ["gpt"] })).toThrow('no model "gpt"');
    expect(() => groups.update("a", {})).toThrow("There is no token group");
    expect(() => groups.update("auto", { models: [] })).toThrow("built in");
    expect(() => groups.remove("auto")).toThrow("built in");
    expect(groups.remove("a")).toBe(false);
    expect(() => keys.add({ key: "sk-a", group: "a" })).toThrow("there are default, auto, image_video");
  });

  it("stay as long as a key is in them", () => {
    const { groups, keys } = createEmulator({
      groups: [{ name: "text", models: ["local-chat"] }],
      keys: [{ key: "sk-text-0123456789", group: "text" }],
    });
    expect(() => groups.remove("text")).toThrow("sk-…6789");
    keys.remove("sk-text-0123456789");
    expect(groups.remove("text")).toBe(true);
  });
});

describe("a key limited to some models of its group", () => {
  const keys = [{ key: "sk-one", group: "default", models: ["local-chat"] }];

  it.each([
    ["/images/generations", { model: "local-image", prompt: "a fox" }],
    ["/videos", { model: "local-video-2.0", content: [{ type: "text", text: "a fox" }] }],
    ["/videos/omni-video", { model_name: "local-omni-video", prompt: "a fox" }],
    ["/chat/completions", { model: "local-chat-image", messages: [{ role: "user", content: "a fox" }] }],
  ])("has no permission for the image and video models of %s: 403", async (path, body) => {
    const { post } = await startEmulator({ keys });
    expect(await errorOf(await post(path, body, "sk-one"))).toMatchObject({
      status: 403,
      type: "permission_error",
      code: "model_not_permitted",
    });
  });

  it("is told of the others that they are not there: 404", async () => {
    const { post } = await startEmulator({ keys });
    const response = await post("/audio/speech", { model: "local-speech", input: "hello" }, "sk-one");
    expect(await errorOf(response)).toMatchObject({ status: 404, code: "model_not_found" });
  });
});
