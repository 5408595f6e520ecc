import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { createEmulator, type EmulatorModel } from "../index.js";
import { bearer, errorOf, startEmulator } from "../testing/start-emulator.js";

const OWN = [
  { id: "gpt-4o", like: "local-chat" },
  { id: "openai/gpt-4o-mini", like: "gpt-4o", price: { inputTokens: 1_000, outputTokens: 0 } },
  { id: "text-embedding-3-small", like: "local-embedding" },
  { id: "seedance", like: "local-video-2.0" },
];
const question = [{ role: "user" as const, content: "What is 6 times 7?" }];

describe("models of one's own", () => {
  it("answer under their ids as the models they are like", async () => {
    const { openai, post, get } = await startEmulator({ models: OWN });
    const completion = await openai.chat.completions.create({ model: "gpt-4o", messages: question });
    expect(completion.model).toBe("gpt-4o");
    expect(completion.choices[0]?.message.content).toBe("6 * 7 = 42");
    const { data } = await openai.embeddings.create({ model: "text-embedding-3-small", input: "text" });
    expect(data[0]?.embedding).toHaveLength(1_536);
    const created = await post("/videos", { model: "seedance", content: [{ type: "text", text: "a boat" }] });
    const { id } = (await created.json()) as { id: string };
    expect(await (await get(`/videos/${id}`)).json()).toMatchObject({ id, model: "seedance" });
    const ids = (await openai.models.list()).data.map((model) => model.id);
    expect(ids).toEqual(expect.arrayContaining(["local-chat", ...OWN.map((model) => model.id)]));
  });

  it("cost what the model costs that they are like, or what their own price says", async () => {
    const { emulator, openai } = await startEmulator({ models: OWN });
    for (const model of ["local-chat", "gpt-4o", "openai/gpt-4o-mini"]) {
      await openai.chat.completions.create({ model, messages: question });
    }
    const [built, like, own] = emulator.ledger.list();
    expect(like).toMatchObject({ model: "gpt-4o", units: built?.units, counted: built?.counted });
    expect(own).toMatchObject({ model: "openai/gpt-4o-mini", units: own?.counted.inputTokens });
    const pricing = await fetch(new URL("/api/pricing", emulator.url), { headers: bearer("sk-emulator") });
    const { data } = (await pricing.json()) as { data: { model_name: string; model_ratio: number }[] };
    expect(data.find(({ model_name }) => model_name === "openai/gpt-4o-mini")).toMatchObject({
      model_ratio: 1,
      completion_ratio: 0,
      enable_groups: ["default", "auto"],
    });
  });

  it("are refused where the model they are like is", async () => {
    const { emulator, post } = await startEmulator({ models: OWN });
    emulator.keys.add({ key: "sk-media", group: "image_video" });
    const ask = (key?: string) => post("/chat/completions", { model: "gpt-4o", messages: question }, key);
    expect(await errorOf(await ask("sk-media"))).toMatchObject({ status: 404, code: "model_not_found" });
    const wrong = await post("/embeddings", { model: "gpt-4o", input: "text" });
    expect((await errorOf(wrong)).message).toContain('model "gpt-4o" is served by POST /chat/completions');
    emulator.groups.add({ name: "small", models: ["gpt-4o"] });
    emulator.keys.add({ key: "sk-small", group: "small" });
    expect((await ask("sk-small")).status).toBe(200);
  });

  it("come and go, and are after a reset what the options say", async () => {
    const { emulator, post } = await startEmulator({ models: OWN.slice(0, 1) });
    const status = async (model: string) =>
      (await post("/chat/completions", { model, messages: question })).status;
    emulator.models.add({ id: "claude", like: "local-reasoner" });
    expect(await status("claude")).toBe(200);
    expect([emulator.models.remove("claude"), emulator.models.remove("claude")]).toEqual([true, false]);
    expect(await status("claude")).toBe(404);
    emulator.models.remove("gpt-4o");
    expect(await status("gpt-4o")).toBe(404);
    emulator.reset();
    expect(await status("gpt-4o")).toBe(200);
  });

  it.each<[string, EmulatorModel, string]>([
    ["an id that is taken", { id: "local-chat", like: "local-chat" }, 'The model "local-chat" exists'],
    ["no id", { id: " ", like: "local-chat" }, "must not be empty"],
    [
      "nothing that it could be like",
      { id: "a", like: "gpt-5" },
      'like "gpt-5", which the emulator does not',
    ],
    [
      "a price below 0",
      { id: "a", like: "local-chat", price: { inputTokens: -1 } },
      "inputTokens in the price",
    ],
    [
      "a price by what nobody counts",
      { id: "a", like: "local-chat", price: { tokens: 1 } as object },
      "not by tokens",
    ],
  ])("cannot have %s", (_what, model, message) => {
    expect(() => createEmulator({ models: [model] })).toThrow(message);
    expect(() => createEmulator().models.add(model)).toThrow(TypeError);
  });

  it("stay while a key or a group names them, and built-in ones for good", async () => {
    const { emulator } = await startEmulator({ models: OWN });
    emulator.groups.add({ name: "small", models: ["gpt-4o"] });
    expect(() => emulator.models.remove("gpt-4o")).toThrow('token group "small" has the model "gpt-4o"');
    emulator.groups.remove("small");
    emulator.keys.add({ key: "sk-narrow-key", models: ["gpt-4o"] });
    expect(() => emulator.models.remove("gpt-4o")).toThrow("key sk-…-key has the model");
    emulator.keys.remove("sk-narrow-key");
    expect(emulator.models.remove("gpt-4o")).toBe(true);
    expect(() => emulator.models.remove("local-chat")).toThrow("is built in and stays");
  });

  it("are managed over HTTP", async () => {
    const { emulator } = await startEmulator();
    const control = (path: string, method = "GET", body?: unknown) =>
      fetch(new URL(`/_emulator/api/models${path}`, emulator.url), {
        method,
        ...(body !== undefined && {
          body: JSON.stringify(body),
          headers: { "content-type": "application/json" },
        }),
      });
    const model = { id: "openai/gpt-4o", like: "local-chat", price: { inputTokens: 7 } };
    const added = await control("", "POST", model);
    expect([added.status, await added.json()]).toEqual([
      201,
      { ...model, serves: "chat", groups: ["default", "auto"] },
    ]);
    const { data } = (await (await control("")).json()) as { data: { id: string }[] };
    expect(data).toEqual(emulator.models.list());
    expect((await control("", "POST", model)).status).toBe(400);
    expect((await errorOf(await control("", "POST", { id: "a" }))).message).toContain("like is required");
    expect(
      (await errorOf(await control("", "POST", { ...model, id: "b", price: { inputTokens: "7" } }))).message,
    ).toContain("price.inputTokens must be a number");
    expect((await control("/openai/gpt-4o", "DELETE")).status).toBe(204);
    expect((await control("/openai/gpt-4o", "DELETE")).status).toBe(404);
    expect((await control("/local-chat", "DELETE")).status).toBe(400);
  });
});

describe("an emulator that takes any key", () => {
  it("serves it as one of the group default, and keeps its own ledger", async () => {
    const { emulator } = await startEmulator({ anyKey: true, models: OWN });
    const openai = new OpenAI({ apiKey: "ollama", baseURL: emulator.url, maxRetries: 0 });
    await openai.chat.completions.create({ model: "gpt-4o", messages: question });
    expect(emulator.ledger.total("ollama").calls).toBe(1);
    expect(emulator.ledger.total("sk-emulator").calls).toBe(0);
    expect(emulator.journal.list({ key: "ollama" })).toHaveLength(1);
    expect(emulator.keys.list()).toHaveLength(1);
  });

  it("refuses none at all, and known ones that may not be used", async () => {
    const { emulator, get } = await startEmulator({
      anyKey: true,
      keys: [{ key: "sk-off", disabled: true }],
    });
    expect((await fetch(`${emulator.url}/models`)).status).toBe(401);
    expect((await get("/models", "sk-off")).status).toBe(401);
    expect((await get("/models", "whatever")).status).toBe(200);
  });

  it("is not the default", async () => {
    const { get } = await startEmulator();
    expect((await get("/models", "sk-unknown")).status).toBe(401);
    expect((await get("/models", "whatever")).status).toBe(401);
  });
});
