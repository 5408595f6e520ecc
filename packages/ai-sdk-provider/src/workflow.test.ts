import { WORKFLOW_DESERIALIZE, WORKFLOW_SERIALIZE } from "@ai-sdk/provider-utils";
import {
  embed,
  generateImage,
  generateSpeech,
  generateText,
  LoadAPIKeyError,
  experimental_startVideo as startVideo,
} from "ai";
import { afterEach, describe, expect, it, vi } from "vitest";
import { COMPLETION, onScript, sendJSON } from "../test/servers.js";
import { createModelGateway } from "./index.js";

interface Storable {
  [WORKFLOW_SERIALIZE](model: unknown): unknown;
  [WORKFLOW_DESERIALIZE](stored: unknown): never;
}

/** What a workflow writes down between two steps, and reads in another process. */
function store(model: object): string {
  return JSON.stringify((model.constructor as unknown as Storable)[WORKFLOW_SERIALIZE](model));
}

function restore<Model extends object>(model: Model, stored: string): Model {
  return (model.constructor as unknown as Storable)[WORKFLOW_DESERIALIZE](JSON.parse(stored)) as Model;
}

const PNG = "iVBORw0KGgo=";
const SECRET = "sk-secret";

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("models that a workflow keeps between its steps", () => {
  it("of every kind come back and work, and the key is nowhere", async () => {
    const { origin, requests } = await onScript((response, _count, { path }) => {
      if (path.endsWith("speech"))
        return response.writeHead(200, { "content-type": "audio/wav" }).end(Uint8Array.of(1));
      return sendJSON(response, {
        ...COMPLETION,
        data: [{ index: 0, embedding: [1], b64_json: PNG }],
      });
    });
    vi.stubEnv("TEAM_KEY", SECRET);
    const provider = createModelGateway({
      apiKey: SECRET,
      apiKeyVariable: "TEAM_KEY",
      baseURL: `${origin}/v1`,
      headers: { authorization: `Bearer ${SECRET}` },
      specializedModels: ["a", /^b/i],
      fetch: (input, init) => fetch(input, init),
    });
    const models = {
      chat: provider("m", { thinkTags: true }),
      embedding: provider.embedding("m"),
      image: provider.image("m", { shape: "base64", onPartialImage: () => {} }),
      speech: provider.speech("m"),
      video: provider.video("m", { family: "omni-video" }),
    };
    for (const model of Object.values(models)) {
      const stored = store(model);
      expect(stored).not.toContain(SECRET);
      expect(stored).toContain('"apiKeyVariable":"TEAM_KEY"');
      expect(stored).toContain('["a",{"pattern":"^b","flags":"i"}]');
      const restored = restore(model, stored);
      expect([restored.modelId, restored.provider]).toEqual([model.modelId, model.provider]);
      expect(store(restored)).toBe(stored);
    }
    const back = <Model extends object>(model: Model) => restore(model, store(model));
    await generateText({ model: back(models.chat), prompt: "x" });
    await embed({ model: back(models.embedding), value: "x" });
    await generateImage({ model: back(models.image), prompt: "x" });
    await generateSpeech({ model: back(models.speech), text: "x" });
    await startVideo({ model: back(models.video), prompt: "x" });
    expect(requests.map(({ path }) => path)).toEqual([
      "/v1/chat/completions",
      "/v1/embeddings",
      "/v1/images/generations",
      "/v1/audio/speech",
      "/v1/videos/omni-video",
    ]);
    expect(new Set(requests.map(({ headers }) => headers["authorization"]))).toEqual(
      new Set([`Bearer ${SECRET}`]),
    );
  });

  it("name the variable when the key is not there any more", async () => {
    const model = createModelGateway({ apiKeyVariable: "TEAM_KEY", baseURL: "http://127.0.0.1:9/v1" })("m");
    const error = await generateText({ model: restore(model, store(model)), prompt: "x" }).catch(
      (thrown: unknown) => thrown,
    );
    expect(LoadAPIKeyError.isInstance(error)).toBe(true);
    expect((error as Error).message).toContain("TEAM_KEY");
  });

  it("keep the usual name where none is given", () => {
    expect(store(createModelGateway({ apiKey: SECRET })("m"))).toContain('"MODEL_GATEWAY_API_KEY"');
  });
});
