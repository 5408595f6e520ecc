import { describe, expect, it } from "vitest";
import { API_KEY, errorOf, gatewayFor, TRANSPORTS } from "../../test/gateways.js";
import { type Script, startServer } from "../../test/scripted-server.js";
import { APIConnectionError, type APIError, InvalidResponseError } from "../index.js";

/** Larger than the blocks in which it is decoded, and no multiple of anything. */
const BYTES = Uint8Array.from({ length: 1_000_001 }, (_, index) => (index * 31 + (index >> 8)) % 256);
BYTES.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]);
const BASE64 = Buffer.from(BYTES).toString("base64");
const REQUEST = { model: "m", prompt: "p" };

/** Answers with a text in many pieces. */
const answering =
  (text: string, status = 200): Script =>
  async (_request, response) => {
    response.writeHead(status, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
    });
    for (let from = 0; from < text.length; from += 99_991) {
      response.write(text.slice(from, from + 99_991));
      await new Promise(setImmediate);
    }
    response.end();
  };

describe.each(TRANSPORTS)("large images over %s", (_name, transport) => {
  const imagesOf = async (script: Script) => gatewayFor((await startServer(script)).url, transport).images;

  it("are bytes, text and answer, each as it came", async () => {
    const answer = {
      data: [{ b64_json: BASE64, revised_prompt: "x" }, { b64_json: BASE64.slice(4) }],
      usage: 7,
    };
    const images = await imagesOf(answering(JSON.stringify(answer)));
    const result = await images.generate(REQUEST);
    const [first, second] = result.images;
    const bytes = (await first?.bytes()) as Uint8Array;
    expect(Buffer.from(bytes).equals(BYTES)).toBe(true);
    expect([first?.mediaType, second?.mediaType]).toEqual(["image/png", "application/octet-stream"]);
    expect(first?.base64 === BASE64 && second?.base64 === BASE64.slice(4)).toBe(true);
    expect(JSON.stringify(result.raw) === JSON.stringify(answer)).toBe(true);
    expect(JSON.parse(JSON.stringify(first))).toEqual({
      base64: BASE64,
      mediaType: "image/png",
      revisedPrompt: "x",
    });
    expect([result.usage, first?.url, Object.keys(second ?? {})]).toEqual([
      7,
      undefined,
      ["mediaType", "base64"],
    ]);
  });

  it("give bytes that are the caller's own each time", async () => {
    const images = await imagesOf(answering(JSON.stringify({ data: [{ b64_json: BASE64 }] })));
    const [image] = (await images.edit({ ...REQUEST, images: [BYTES] })).images;
    (await image?.bytes())?.fill(0);
    expect(Buffer.from((await image?.bytes()) ?? []).equals(BYTES)).toBe(true);
    expect(image?.base64 === BASE64).toBe(true);
  });

  it("that are no Base64 say so when their bytes are read", async () => {
    const images = await imagesOf(answering(JSON.stringify({ data: [{ b64_json: `${BASE64.slice(2)}*` }] })));
    const [image] = (await images.generate(REQUEST)).images;
    expect(image?.base64 === `${BASE64.slice(2)}*`).toBe(true);
    expect(await errorOf(image?.bytes() ?? Promise.resolve())).toBeInstanceOf(InvalidResponseError);
  });

  it("in answers that are cut off are answers that are cut off", async () => {
    const cut = JSON.stringify({ data: [{ b64_json: BASE64 }] }).slice(0, -500_000);
    const whole = await errorOf((await imagesOf(answering(cut))).generate(REQUEST));
    expect(whole).toBeInstanceOf(InvalidResponseError);
    expect((whole as InvalidResponseError).message).toContain("broken JSON");
    expect((whole as InvalidResponseError).body === cut.slice(0, 4096)).toBe(true);
    const images = await imagesOf((_request, response) => {
      response.writeHead(200, { "content-length": cut.length + 1 });
      response.write(cut, () => response.destroy());
    });
    expect(await errorOf(images.generate(REQUEST))).toBeInstanceOf(APIConnectionError);
  });

  it.each([200, 500])("in answers that are errors with status %i are a part of the error", async (status) => {
    const body = { error: { message: "no", type: "server_error" }, b64_json: BASE64 };
    const images = await imagesOf(answering(JSON.stringify(body), status));
    const error = (await errorOf(images.generate(REQUEST))) as APIError;
    expect(error).toMatchObject({ kind: "server", status });
    expect(JSON.stringify(error.body) === JSON.stringify(body)).toBe(status === 200);
  });

  it("never hold the key", async () => {
    const letters = "AbCdEfGhIjKlMnOpQrStUvWx";
    for (const apiKey of [API_KEY, letters]) {
      const text = `${BASE64.slice(0, 400_000)}${apiKey}${BASE64.slice(400_000)}`;
      const answer = JSON.stringify({ data: [{ b64_json: text }, { b64_json: BASE64 }], prompt: apiKey });
      const { url } = await startServer(answering(answer));
      const result = await gatewayFor(url, { ...transport, apiKey }).images.generate(REQUEST);
      const expected = answer.replaceAll(apiKey, "sk-***");
      expect(JSON.stringify(result.raw) === expected).toBe(true);
      expect(result.images[0]?.base64 === text.replace(apiKey, "sk-***")).toBe(true);
    }
  });
});
