import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEmulator, type ProfileName } from "../index.js";
import { bearer } from "../testing/start-emulator.js";

const model = fc.constantFrom(
  "local-video-2.0",
  "local-image2video",
  "local-omni-video",
  "local-chat",
  "none",
);
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    "a boat",
    "[[fail]]",
    "",
    "https://a.test/a.png",
    "1280x720",
    "1280*720",
    "720P",
    "5",
  ),
  fc.constantFrom<unknown>(5, -1, 1e308, true, null, [], {}, "x".repeat(3_000), "<<<image_1>>>"),
  fc.jsonValue({ maxDepth: 3 }),
);
const members = (names: readonly string[]) =>
  fc.record(Object.fromEntries(names.map((name) => [name, odd])), { requiredKeys: [] });

const BAILIAN = fc.record(
  {
    model: fc.oneof(model, odd),
    input: fc.oneof(
      members(["prompt", "img_url", "image_url", "first_frame_url", "last_frame_url", "media", "texts"]),
      odd,
    ),
    parameters: fc.oneof(
      members(["size", "resolution", "ratio", "duration", "seed", "audio", "dimension"]),
      odd,
    ),
  },
  { requiredKeys: [] },
);
const KLING = fc.tuple(
  fc.record({ model_name: fc.oneof(model, odd) }, { requiredKeys: [] }),
  members(["prompt", "image", "image_tail", "duration", "mode", "sound", "aspect_ratio", "external_task_id"]),
);
const NEW_API = fc.tuple(
  fc.record({ model: fc.oneof(model, odd) }, { requiredKeys: [] }),
  members(["prompt", "image", "images", "input_reference", "size", "duration", "seconds", "content"]),
);
const merged = (parts: fc.Arbitrary<[object, object]>) =>
  parts.map(([first, second]) => ({ ...first, ...second }));

describe("whatever a client of an upstream sends", () => {
  it.each<[ProfileName, string, fc.Arbitrary<unknown>]>([
    ["bailian", "/api/v1/services/aigc/video-generation/video-synthesis", BAILIAN],
    ["bailian", "/api/v1/services/embeddings/text-embedding/text-embedding", BAILIAN],
    ["bailian", "/api/v1/tasks/1/cancel", odd],
    ["kling", "/v1/videos/text2video", merged(KLING)],
    ["kling", "/v1/videos/image2video", merged(KLING)],
    ["newapi", "/v1/video/generations", merged(NEW_API)],
    ["newapi", "/v1/videos", merged(NEW_API)],
    ["newapi", "/kling/v1/videos/text2video", merged(KLING)],
    ["ark", "/api/v3/contents/generations/tasks", merged(NEW_API)],
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
        if (response.status === 500) expect(text).toContain("The marker [[fail]]");
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
