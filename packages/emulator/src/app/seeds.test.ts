import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createEmulator } from "../index.js";
import { bearer } from "../testing/start-emulator.js";

const SEEDS = [1, 2, 3, 4, 5, 6];
const CONTEXT = "Context:\nOrders ship within two days. Returns take a week.";
const say = (content: string, more: object = {}) => ({
  ...{ model: "local-chat", messages: [{ role: "user", content }] },
  ...more,
});
const asked = say(`${CONTEXT}\n\nQuestion: When do orders ship?`);
const tools = [
  {
    type: "function",
    function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
  },
];

/** What an emulator of a seed answers, but for ids and times. */
async function answerOf(seed: number, path: string, body: object): Promise<string> {
  const emulator = createEmulator({ seed });
  const headers = { ...bearer("sk-emulator"), "content-type": "application/json" };
  const response = await emulator.fetch(emulator.url + path, {
    ...{ method: "POST", headers, body: JSON.stringify(body) },
  });
  expect(response.status).toBe(200);
  const bytes = Buffer.from(await response.arrayBuffer());
  await emulator.close();
  const isText = response.headers.get("content-type")?.includes("json");
  if (!isText) return createHash("sha256").update(bytes).digest("hex");
  return bytes.toString().replace(/"(id|created)":("[^"]*"|\d+)/g, "");
}

const answers = (path: string, body: object, seeds = SEEDS) =>
  Promise.all(seeds.map((seed) => answerOf(seed, path, body)));

describe("another seed", () => {
  it.each<[string, string, object]>([
    ["other words of a greeting", "/chat/completions", say("Hello")],
    ["another voice", "/audio/speech", { model: "local-speech", input: "Good day", format: "wav" }],
    [
      "another picture",
      "/images/generations",
      { model: "local-image", prompt: "a fox", size: "512x512", response_format: "b64_json" },
    ],
    ["another space of vectors", "/embeddings", { model: "local-embedding", input: "a fox" }],
  ])("gives %s, and the same one the same", async (_what, path, body) => {
    const given = await answers(path, body);
    expect(new Set(given).size).toBeGreaterThan(1);
    expect(await answers(path, body)).toEqual(given);
  });

  it.each<[string, string, object]>([
    ["what is said of a context", "/chat/completions", asked],
    ["a sum", "/chat/completions", say("What is 6 times 7?")],
    ["a greeting that comes with a seed of its own", "/chat/completions", say("Hello", { seed: 7 })],
  ])("changes nothing of %s", async (_what, path, body) => {
    expect(new Set(await answers(path, body)).size).toBe(1);
  });

  it("changes no tool call but for its id", async () => {
    const calls = await answers("/chat/completions", say("What is the weather in Oslo?", { tools }));
    for (const call of calls) expect(call).toContain(String.raw`{\"city\":\"Oslo\"}`);
  });

  it("of a request gives other words of a greeting", async () => {
    const given = await Promise.all(
      SEEDS.map((seed) => answerOf(1, "/chat/completions", say("Hello", { seed }))),
    );
    expect(new Set(given).size).toBeGreaterThan(1);
  });

  it("gives another film", async () => {
    const seedOf = async (seed: number) => {
      const emulator = createEmulator({ seed });
      const headers = { ...bearer("sk-emulator"), "content-type": "application/json" };
      const content = [{ type: "text", text: "a boat" }];
      const body = JSON.stringify({ model: "local-video-1.5-pro", content });
      await emulator.fetch(`${emulator.url}/videos`, { method: "POST", headers, body });
      const [task] = emulator.videos.list();
      await emulator.close();
      return task && "seed" in task ? task.seed : undefined;
    };
    const [one, same, other] = [await seedOf(1), await seedOf(1), await seedOf(2)];
    expect([one, one === other]).toEqual([same, false]);
  });
});
