import { createProviderRegistry, customProvider, embed, generateText } from "ai";
import { afterEach, describe, expect, it, vi } from "vitest";
import { onEmulator, onScript, sendJSON } from "../test/servers.js";
import { createModelGateway, modelGateway as defaultProvider } from "./index.js";

afterEach(() => {
  vi.unstubAllEnvs();
  Reflect.deleteProperty(globalThis, "AI_SDK_DEFAULT_PROVIDER");
});

describe("the provider", () => {
  it("names its models so that options and metadata find them", async () => {
    const provider = createModelGateway();
    expect(provider("m").provider).toBe("modelGateway.chat");
    expect(provider.chat("m").provider).toBe("modelGateway.chat");
    expect(provider.embedding("m").provider).toBe("modelGateway.embedding");
    expect(provider.video("m").provider).toBe("modelGateway.video");
    expect(provider.image("m").provider).toBe("modelGateway.image");
    expect(provider.speech("m").provider).toBe("modelGateway.speech");
  });

  it("lists the models of the key", async () => {
    const { modelGateway } = await onEmulator();
    expect((await modelGateway.listModels()).map(({ id }) => id)).toContain("local-chat");
  });

  it("takes the key as a promise or a function, and everything from the environment", async () => {
    const { emulator } = await onEmulator();
    for (const apiKey of [Promise.resolve("sk-emulator"), () => "sk-emulator", async () => "sk-emulator"]) {
      const provider = createModelGateway({ apiKey, baseURL: emulator.url });
      expect(
        (await generateText({ model: provider("local-chat"), prompt: "What is 1 plus 1?" })).text,
      ).toContain("2");
    }
    vi.stubEnv("MODEL_GATEWAY_API_KEY", "sk-emulator");
    vi.stubEnv("MODEL_GATEWAY_BASE_URL", emulator.url);
    expect(
      (await generateText({ model: defaultProvider("local-chat"), prompt: "What is 1 plus 1?" })).text,
    ).toContain("2");
  });

  it("works in a registry, in a custom provider and as the default provider", async () => {
    const { modelGateway } = await onEmulator();
    const registry = createProviderRegistry({ mg: modelGateway });
    const prompt = "What is 2 plus 2?";
    expect((await generateText({ model: registry.languageModel("mg:local-chat"), prompt })).text).toContain(
      "4",
    );
    expect(registry.embeddingModel("mg:local-embedding").modelId).toBe("local-embedding");
    const custom = customProvider({
      languageModels: { quick: modelGateway("local-chat") },
      fallbackProvider: modelGateway,
    });
    expect((await generateText({ model: custom.languageModel("quick"), prompt })).text).toContain("4");
    Object.assign(globalThis, { AI_SDK_DEFAULT_PROVIDER: modelGateway });
    expect((await generateText({ model: "local-chat", prompt })).text).toContain("4");
  });

  it("has one connection for all kinds of models: they share its places", async () => {
    let open = 0;
    let most = 0;
    const { modelGateway, requests } = await onScript(
      (response, _count, { path }) => {
        most = Math.max(most, ++open);
        setTimeout(() => {
          open--;
          if (path.endsWith("/models")) sendJSON(response, { data: [] });
          else sendJSON(response, { data: [{ index: 0, embedding: [1] }] });
        }, 30);
      },
      { maxConcurrency: 1 },
    );
    await Promise.all([
      embed({ model: modelGateway.embedding("a"), value: "x" }),
      embed({ model: modelGateway.embedding("b"), value: "x" }),
      modelGateway.listModels(),
    ]);
    expect(requests).toHaveLength(3);
    expect(most).toBe(1);
  });

  it("uses the fetch it is given for everything", async () => {
    const { emulator } = await onEmulator();
    const urls: string[] = [];
    const provider = createModelGateway({
      apiKey: "sk-emulator",
      baseURL: emulator.url,
      fetch: async (input, init) => {
        urls.push(String(input));
        return fetch(input, init);
      },
    });
    await provider.listModels();
    expect(urls).toEqual([`${emulator.url}/models`]);
  });

  it("sends its headers with every call", async () => {
    const { modelGateway, requests } = await onScript(
      (response) => sendJSON(response, { data: [{ index: 0, embedding: [1] }] }),
      { headers: { "x-team": "seven" } },
    );
    await modelGateway.listModels();
    await embed({ model: modelGateway.embedding("m"), value: "a" });
    expect(requests.map(({ headers }) => headers["x-team"])).toEqual(["seven", "seven"]);
  });
});
