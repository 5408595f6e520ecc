import {
  embed,
  generateImage,
  generateSpeech,
  generateText,
  experimental_startVideo as startVideo,
} from "ai";
import { describe, expect, it } from "vitest";
import { COMPLETION, onScript, sendJSON } from "../test/servers.js";

const providerOptions = { modelGateway: { extraBody: { future: 1 } } };

describe("further fields of a request", () => {
  it("are sent as they are by every kind of model, and request ids come back", async () => {
    const headers = { "x-request-id": "r-1" };
    const { modelGateway, requests } = await onScript((response, _count, { path }) => {
      if (path.endsWith("speech")) {
        response.writeHead(200, { "content-type": "audio/wav", ...headers }).end(Uint8Array.of(1));
        return;
      }
      const data = [{ index: 0, embedding: [1], b64_json: "iVBORw0KGgo=" }];
      sendJSON(response, { ...COMPLETION, data, usage: { prompt_tokens: 1, cost: 0.5 } }, 200, headers);
    });
    const text = await generateText({ model: modelGateway("m"), prompt: "x", providerOptions });
    const vector = await embed({ model: modelGateway.embedding("m"), value: "x", providerOptions });
    const image = await generateImage({ model: modelGateway.image("m"), prompt: "x", providerOptions });
    const speech = await generateSpeech({ model: modelGateway.speech("m"), text: "x", providerOptions });
    for (const family of ["content", "image2video", "omni-video"] as const) {
      const prompt = { text: "x", image: "https://files.example/1.png" };
      const model = modelGateway.video("m", { family });
      const { providerMetadata } = await startVideo({ model, prompt, providerOptions });
      expect(providerMetadata?.["modelGateway"]).toMatchObject({ requestId: "r-1" });
    }
    expect(requests).toHaveLength(7);
    expect(requests.map(({ json }) => json["future"])).toEqual(new Array(7).fill(1));
    expect(text.providerMetadata?.["modelGateway"]).toMatchObject({ requestId: "r-1", cost: 0.5 });
    expect(vector.providerMetadata?.["modelGateway"]).toEqual({
      requestId: "r-1",
      usage: { prompt_tokens: 1, cost: 0.5 },
    });
    expect(image.calls[0]?.providerMetadata?.["modelGateway"]).toMatchObject({ requestId: "r-1" });
    expect(speech.providerMetadata["modelGateway"]).toEqual({ requestId: "r-1" });
  });
});

describe("options of a video", () => {
  it.each([
    ["content", ["mode", "cfgScale"]],
    ["image2video", ["watermark", "ratio", "referenceImages"]],
    ["omni-video", ["watermark", "resolution", "referenceAudio"]],
  ] as const)("that the family %s has no field for are warned of", async (family, unsent) => {
    const values = {
      mode: "pro",
      cfgScale: 1,
      watermark: true,
      ratio: "1:1",
      resolution: "720p",
      referenceImages: ["https://files.example/1.png"],
      referenceAudio: ["https://files.example/1.mp3"],
    };
    const { modelGateway } = await onScript((response) => sendJSON(response, { id: "t" }));
    const options = Object.fromEntries(unsent.map((name) => [name, values[name]]));
    const { warnings } = await startVideo({
      model: modelGateway.video("m", { family }),
      prompt: { text: "x", image: "https://files.example/1.png" },
      providerOptions: { modelGateway: options },
    });
    expect(new Set(warnings.map((warning) => ("feature" in warning ? warning.feature : "")))).toEqual(
      new Set(unsent.map((name) => `providerOptions.modelGateway.${name}`)),
    );
  });
});
