import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEmulator, type ProfileName } from "../index.js";
import { bearer } from "../testing/start-emulator.js";

const odd = fc.oneof(
  fc.constantFrom<unknown>("", "1280x720", "1280*720", "[[fail]] a", 5, -1, 1e308, true, null, [], {}),
  fc.constant("x".repeat(3_000)),
  fc.jsonValue({ maxDepth: 3 }),
);
/** Right more often than not, so that the checks behind the first one are reached too. */
const mostly = (...right: unknown[]) =>
  fc.oneof({ weight: 40, arbitrary: fc.constantFrom(...right) }, { weight: 1, arbitrary: odd });
const model = mostly("local-video-2.0", "local-image2video", "local-omni-video", "local-embedding", "none");
const picture = mostly("https://a.test/a.png", `data:image/png;base64,${"A".repeat(64)}`);
const prompt = mostly("a boat", "a boat [[fail]]", "<<<image_1>>>");
const record = (members: Record<string, fc.Arbitrary<unknown>>, ...requiredKeys: string[]) =>
  fc.record(members, { requiredKeys });

const media = mostly(
  [],
  [{ type: "first_frame", url: "https://a.test/a" }],
  [{ type: "last_frame", url: 1 }],
  [1],
);
const BAILIAN = record(
  {
    model,
    input: record(
      { prompt, img_url: picture, last_frame_url: picture, media, texts: mostly(["a"], ["a", "[[500]]"]) },
      "prompt",
      "texts",
    ),
    parameters: record({
      ...{
        size: mostly("1280*720", "832*480"),
        resolution: mostly("480P", "1080P"),
        ratio: mostly("16:9", "3:4"),
      },
      ...{
        duration: mostly(2, 5, 15),
        seed: mostly(0, 7),
        audio: mostly(true, false),
        dimension: mostly(8, 64),
      },
    }),
  },
  "model",
  "input",
);
const KLING = record(
  {
    ...{ model_name: model, prompt, image: picture, image_tail: picture, duration: mostly("3", "15", 5) },
    ...{ mode: mostly("std", "pro"), sound: mostly("on", "off"), aspect_ratio: mostly("16:9", "1:1") },
    external_task_id: fc.string(),
  },
  "prompt",
  "image",
);
const NEW_API = record(
  {
    ...{ model, prompt, image: picture, images: mostly([], ["https://a.test/a"]), input_reference: picture },
    ...{ size: mostly("1280x720", "480x854"), duration: mostly(1, "15"), seconds: mostly("4", "8") },
  },
  "model",
  "prompt",
);
const ARK = record(
  {
    model,
    content: mostly([{ type: "text", text: "a boat" }], [{ type: "text", text: "" }], [1]),
    ...{ duration: mostly(4, 15, -1), resolution: mostly("480p"), ratio: mostly("16:9", "adaptive") },
  },
  "model",
  "content",
);

describe("whatever a client of an upstream sends", () => {
  it.each<[ProfileName, string, fc.Arbitrary<unknown>]>([
    ["bailian", "/api/v1/services/aigc/video-generation/video-synthesis", BAILIAN],
    ["bailian", "/api/v1/services/embeddings/text-embedding/text-embedding", BAILIAN],
    ["bailian", "/api/v1/tasks/1/cancel", odd],
    ["kling", "/v1/videos/text2video", KLING],
    ["kling", "/v1/videos/image2video", KLING],
    ["newapi", "/v1/video/generations", NEW_API],
    ["newapi", "/v1/videos", NEW_API],
    ["newapi", "/kling/v1/videos/text2video", KLING],
    ["ark", "/api/v3/contents/generations/tasks", ARK],
  ])("%s %s makes a task or says why not", async (profile, path, bodies) => {
    const emulator = createEmulator({ profile });
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const paid = emulator.ledger.list().length;
        const response = await emulator.fetch(new URL(path, emulator.url), {
          method: "POST",
          headers: { ...bearer("sk-emulator"), "x-dashscope-async": "enable" },
          body: JSON.stringify(body),
        });
        expect([200, 400, 404, 500, 503]).toContain(response.status);
        const text = await response.text();
        // A marker in the text may ask for that, and nothing else.
        if (response.status === 500) expect(text).toMatch(/(A|The) marker (\[\[fail\]\] )?in the prompt/);
        expect(text).not.toContain("its journal holds the reason");
        expect(emulator.ledger.list()).toHaveLength(paid + (response.status === 200 ? 1 : 0));
      }),
      { numRuns: 150 },
    );
    await emulator.close();
  });

  it.each<[ProfileName, string]>([
    ["ark", "/api/v3/contents/generations/tasks"],
    ["kling", "/v1/videos/text2video"],
    ["bailian", "/api/v1/tasks"],
  ])("%s: lists at %s read any query", async (profile, path) => {
    const emulator = createEmulator({ profile });
    const name = fc.constantFrom(
      ...["page_num", "page_size", "pageNum", "pageSize", "page_no", "filter.status", "filter.task_ids"],
      ...["filter.model", "status", "start_time", "end_time", "model_name", "task_id"],
    );
    const value = fc.oneof(
      fc.constantFrom("", "0", "1", "500", "-1", "1e9", "NaN", "20261122000000", "99999999999999"),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 6 }), async (query) => {
        const url = new URL(`${path}?${new URLSearchParams(query)}`, emulator.url);
        const { status } = await emulator.fetch(url, { headers: bearer("sk-emulator") });
        expect([200, 400]).toContain(status);
      }),
      { numRuns: 200 },
    );
    await emulator.close();
  });
});
