import { ModelGateway } from "@model-gateway/core";
import { createEmulator } from "@model-gateway/emulator";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ScriptedGateway, startScriptedGateway } from "../test/scripted-gateway.js";
import { ChatModelGateway, listModelProfiles } from "./index.js";

let scripted: ScriptedGateway;
let gateway: ModelGateway;
beforeAll(async () => {
  scripted = await startScriptedGateway();
  gateway = new ModelGateway({ ...scripted.connection, maxRetries: 0 });
});
beforeEach(() => {
  scripted.received.length = 0;
});
afterAll(() => scripted.close());

const list = (...data: object[]) =>
  scripted.script({ json: { object: "list", data: data.map((model) => ({ object: "model", ...model })) } });

const ROUTED = {
  id: "routed",
  context_length: 200_000,
  top_provider: { max_completion_tokens: 64_000 },
  architecture: { input_modalities: ["text", "image"], output_modalities: ["text"] },
  supported_parameters: ["tools", "tool_choice", "structured_outputs", "temperature"],
};
const ROUTED_PROFILE = {
  maxInputTokens: 200_000,
  maxOutputTokens: 64_000,
  imageInputs: true,
  imageUrlInputs: true,
  imageOutputs: false,
  reasoningOutput: false,
  toolCalling: true,
  toolChoice: true,
  structuredOutput: true,
};

describe("profiles from the model list", () => {
  it.each<[string, object, object]>([
    ["modalities and parameters", ROUTED, ROUTED_PROFILE],
    ["a served length", { id: "m", max_model_len: 32_768 }, { maxInputTokens: 32_768 }],
    [
      "a window and an output limit",
      { id: "m", context_window: 131_072, max_completion_tokens: 8_192 },
      { maxInputTokens: 131_072, maxOutputTokens: 8_192 },
    ],
    [
      "capabilities",
      { id: "m", max_context_length: 32_000, capabilities: { vision: false, function_calling: true } },
      { maxInputTokens: 32_000, imageInputs: false, imageUrlInputs: false, toolCalling: true },
    ],
    ["nothing", { id: "m", owned_by: "someone" }, {}],
    [
      "nothing usable",
      { id: "m", context_length: "long", max_model_len: 0, architecture: null, supported_parameters: "all" },
      {},
    ],
  ])("are read from %s", async (_name, model, profile) => {
    list(model);
    expect([...(await listModelProfiles(gateway)).values()]).toEqual([profile]);
  });

  it("are there for every model of the emulator", async () => {
    const emulator = await createEmulator({ seed: 1 }).listen({ port: 0 });
    try {
      const connected = new ModelGateway({ apiKey: "sk-emulator", baseURL: emulator.url });
      expect((await listModelProfiles(connected)).get("local-chat")).toEqual({});
    } finally {
      await emulator.close();
    }
  });
});

describe("a model that loads its profile", () => {
  it("keeps what it was told over what the server tells", async () => {
    list({ id: "other" }, ROUTED);
    const model = new ChatModelGateway("routed", { gateway, profile: { maxInputTokens: 100_000 } });
    const profile = await model.loadProfile();
    expect(profile).toEqual({ ...ROUTED_PROFILE, maxInputTokens: 100_000 });
    expect(model.profile).toBe(profile);
    expect(scripted.received.map(({ path }) => path)).toEqual(["/v1/models"]);
  });

  it("says which models there are when its own is not among them", async () => {
    list({ id: "routed-large" }, { id: "speech" });
    const model = new ChatModelGateway("routed", { gateway });
    await expect(model.loadProfile()).rejects.toThrow(
      /routed is not in the model list.*routed-large, speech/,
    );
    expect(model.profile).toEqual({});
  });

  it("rejects when it is aborted", async () => {
    const signal = AbortSignal.abort();
    await expect(new ChatModelGateway("routed", { gateway }).loadProfile({ signal })).rejects.toMatchObject({
      name: "AbortError",
    });
  });
});
