import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEmulator, type Emulator } from "../index.js";
import * as bodiesOf from "../testing/arbitrary-bodies.js";
import { smallPng } from "../testing/small-png.js";
import { bearer } from "../testing/start-emulator.js";

/** The key of these tests may do everything. */
const KEY = "sk-everything";
const everything = () => createEmulator({ keys: [{ key: KEY, group: "default", moderation: true }] });

describe("whatever a client sends", () => {
  it.each<[path: string, bodies: fc.Arbitrary<unknown>, runs: number]>([
    ["/chat/completions", bodiesOf.chat, 400],
    ["/chat/completions", bodiesOf.chatImage, 60],
    ["/embeddings", bodiesOf.embeddings, 400],
    ["/images/generations", bodiesOf.referenceImage, 120],
    ["/images/generations", bodiesOf.base64Image, 60],
    ["/audio/speech", bodiesOf.speech, 200],
    ["/moderations", bodiesOf.moderation, 300],
    ["/videos", bodiesOf.video, 400],
    ["/videos/image2video", bodiesOf.wrappedVideo, 300],
    ["/videos/omni-video", bodiesOf.wrappedVideo, 300],
  ])(
    "%s answers 200, 400 or 404, with the Error body for the latter two",
    async (path, bodies, numRuns) => {
      const emulator = everything();
      await fc.assert(
        fc.asyncProperty(bodies, async (body) => {
          const response = await emulator.fetch(emulator.url + path, {
            method: "POST",
            headers: { ...bearer(KEY), "content-type": "application/json" },
            body: JSON.stringify(body),
          });
          await expectAnswer(response, emulator);
        }),
        { numRuns },
      );
      await emulator.close();
    },
    60_000,
  );

  it("a form answers 200, 400 or 404 too", async () => {
    const emulator = everything();
    const parts = fc.array(fc.oneof(bodiesOf.formFile, bodiesOf.formText), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(parts, fc.boolean(), async (fields, complete) => {
        const body = new FormData();
        if (complete) {
          body.set("prompt", "a hat");
          body.append("image[]", new File([smallPng()], "a.png"));
        }
        for (const [name, value] of fields) body.append(name, value);
        const url = `${emulator.url}/images/edits`;
        await expectAnswer(
          await emulator.fetch(url, { method: "POST", headers: bearer(KEY), body }),
          emulator,
        );
      }),
      { numRuns: 120 },
    );
    await emulator.close();
  }, 60_000);

  it("a deeply nested body is no reason to fail", async () => {
    const emulator = createEmulator();
    const depth = 20_000;
    const nested = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    for (const body of [
      `{"model":"local-chat","messages":[{"role":"user","content":"hi"}],"metadata":${nested}}`,
      `{"model":"local-chat","messages":[{"role":"user","content":"hi"}],"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":${nested.replaceAll('"a"', '"items"')}}}}`,
      `{"model":"local-chat","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"x","parameters":${nested}}}]}`,
    ]) {
      const response = await emulator.fetch(`${emulator.url}/chat/completions`, {
        method: "POST",
        headers: bearer("sk-emulator"),
        body,
      });
      expect([200, 400]).toContain(response.status);
    }
    await emulator.close();
  });

  it("a long run of one character does not stop it", async () => {
    const emulator = createEmulator();
    for (const run of [
      "a",
      " ",
      "(",
      "1",
      ".",
      "{",
      "A ",
      "1+",
      ", ",
      "- \n",
      "#",
      "|",
      '"',
      "，",
      "<context>",
    ]) {
      const response = await emulator.fetch(`${emulator.url}/chat/completions`, {
        method: "POST",
        headers: bearer("sk-emulator"),
        body: JSON.stringify({
          model: "local-chat",
          messages: [{ role: "user", content: run.repeat(60_000) }],
          response_format: {
            type: "json_schema",
            json_schema: {
              name: "x",
              schema: {
                properties: { name: {}, email: {}, total: { type: "number" }, items: { type: "array" } },
                required: ["name", "email", "total", "items"],
              },
            },
          },
        }),
      });
      expect(response.status).toBe(200);
    }
    await emulator.close();
  }, 60_000);
});

async function expectAnswer(response: Response, emulator: Emulator): Promise<void> {
  const bytes = Buffer.from(await response.arrayBuffer());
  expect([200, 400, 404], emulator.journal.list().at(-1)?.failure).toContain(response.status);
  if (response.status !== 200) {
    expect(JSON.parse(bytes.toString())).toEqual({
      error: { message: expect.any(String), type: expect.any(String), code: expect.any(String) },
    });
  }
  emulator.journal.clear();
}
