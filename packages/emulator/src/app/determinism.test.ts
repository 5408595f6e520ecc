import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createEmulator, type Emulator } from "../index.js";
import { dataURL, smallPng } from "../testing/small-png.js";
import { bearer } from "../testing/start-emulator.js";

const KEY = "sk-everything";
const PICTURE = dataURL(smallPng());
const CONTEXT = "Context:\nOrders ship within two days. Returns take a week, and refunds three days more.";
const chat = (content: unknown, more: object = {}) => ({
  model: "local-chat",
  messages: [
    { role: "system", content: CONTEXT },
    { role: "user", content },
  ],
  ...more,
});
const speech = { model: "local-speech", input: "The train leaves at noon. 你好。" };
const tools = [
  {
    type: "function",
    function: {
      name: "get_weather",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  },
];
const schema = {
  type: "object",
  properties: { days: { type: "integer" }, topic: { type: "string" }, score: { type: "number" } },
  required: ["days", "topic", "score"],
};

/** At least one request to every endpoint that takes JSON, in every form of its answer. */
const REQUESTS: readonly [path: string, body: object][] = [
  ["/chat/completions", chat("When do orders ship?")],
  ["/chat/completions", chat("How long do returns take?", { model: "local-reasoner", stream: true })],
  ["/chat/completions", chat("What's the weather in Paris?", { tools, stream: true })],
  [
    "/chat/completions",
    chat("Give days and topic.", {
      response_format: { type: "json_schema", json_schema: { name: "x", schema } },
    }),
  ],
  [
    "/chat/completions",
    chat([
      { type: "text", text: "What is in this picture?" },
      { type: "image_url", image_url: { url: PICTURE } },
    ]),
  ],
  ["/chat/completions", chat("a red fox", { model: "local-chat-image", metadata: { quality: "low" } })],
  ["/chat/completions", chat("a red fox [[as:parts]]", { model: "local-chat-image", stream: true })],
  ["/embeddings", { model: "local-embedding", input: ["one", "第二"], dimensions: 64 }],
  ["/embeddings", { model: "local-embedding", input: "one", encoding_format: "base64" }],
  [
    "/images/generations",
    {
      model: "local-image",
      prompt: "two pictures of a fox",
      size: "512x512",
      image: PICTURE,
      sequential_image_generation: "auto",
      sequential_image_generation_options: { max_images: 3 },
    },
  ],
  [
    "/images/generations",
    {
      model: "local-image",
      prompt: "a fox",
      size: "512x512",
      response_format: "b64_json",
      output_format: "png",
      stream: true,
    },
  ],
  ["/images/generations", { prompt: "a fox", quality: "low", output_format: "webp" }],
  ["/images/generations", { prompt: "a fox", output_format: "jpeg", stream: true, partial_images: 1 }],
  ...["mp3", "wav", "opus", "flac", "aac", "pcm"].map((format): [string, object] => [
    "/audio/speech",
    { ...speech, format },
  ]),
  ["/moderations", { model: "local-moderation", input: ["What time is it?", "I will stab my neighbour."] }],
  [
    "/videos",
    {
      model: "local-video-2.0",
      content: [{ type: "text", text: "a boat" }],
      duration: 4,
      resolution: "480p",
      return_last_frame: true,
    },
  ],
  [
    "/videos/image2video",
    { model_name: "local-image2video", prompt: "a boat", image: PICTURE, duration: 5, sound: "on" },
  ],
  ["/videos/omni-video", { model_name: "local-omni-video", prompt: "a boat [[fail]]", duration: 5 }],
  ["/videos/omni-video", { model_name: "local-omni-video", prompt: "a boat", aspect_ratio: "1:1" }],
  ["/chat/completions", chat("hi", { temperature: 9 })],
  ["/embeddings", { model: "local-none", input: "one" }],
];

const READS = ["/models", "/dashboard/billing/subscription", "/dashboard/billing/usage"];
const CONTROL = [
  "keys",
  "groups",
  "faults",
  "journal",
  "callbacks",
  "ledger",
  "ledger/total",
  "ledger/prices",
];

/** Everything that one emulator answers, with what differs from run to run taken out. */
async function answersOf(emulator: Emulator): Promise<string[]> {
  const answers: string[] = [];
  const files: string[] = [];
  const headers = bearer(KEY);
  const ask = async (url: string, init: RequestInit = {}) => {
    const response = await emulator.fetch(url, init);
    const bytes = Buffer.from(await response.arrayBuffer());
    const type = response.headers.get("content-type") ?? "";
    const isText = /json|text/.test(type);
    const body = isText ? normalise(bytes.toString()) : createHash("sha256").update(bytes).digest("hex");
    answers.push(`${normalise(url)} ${response.status} ${type} ${bytes.length > 0} ${body}`);
    if (isText) files.push(...(bytes.toString().match(/http:[^"\s)]+\/files\/[^"\s)]+/g) ?? []));
    return isText ? bytes.toString() : "";
  };

  for (const [path, body] of REQUESTS) {
    await ask(emulator.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  }
  const form = new FormData();
  form.set("prompt", "a hat");
  form.set("quality", "low");
  form.append("image[]", new File([smallPng()], "a.png"));
  await ask(`${emulator.url}/images/edits`, { method: "POST", headers, body: form });

  await emulator.clock.advance(60_000);
  for (const task of emulator.videos.list()) {
    await ask(`${emulator.url}${pathOf(emulator, task.id)}/${task.id}`, { headers });
  }
  for (const path of READS) await ask(emulator.urls.specialized + path, { headers });
  const { origin } = new URL(emulator.url);
  await ask(`${origin}/api/usage/token`, { headers });
  for (const path of CONTROL) await ask(`${origin}/_emulator/api/${path}`);
  for (const file of [...new Set(files)]) await ask(file);
  return answers;
}

function pathOf(emulator: Emulator, id: string): string {
  const families = ["image2video", "omni-video"] as const;
  const family = families.find((family) => emulator.videos.list({ family }).some((task) => task.id === id));
  return family ? `/videos/${family}` : "/videos";
}

/** Takes ids, times and what is made of them out of a text. */
function normalise(text: string): string {
  return text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
    .replace(/call_[0-9a-f]{24}/g, "<id>")
    .replace(/\b(request_)?8\d{17}\b/g, "<id>")
    .replace(/expires=\d+&signature=[\w-]+/g, "<signed>")
    .replace(/"(created|created_at|updated_at|time|durationMs)":[\d.]+/g, '"$1":<time>');
}

describe("two emulators with one seed", () => {
  it("answer the same on every endpoint, media included, but for ids and times", async () => {
    const options = { seed: 7, keys: [{ key: KEY, group: "default", moderation: true }] };
    const all: string[][] = [];
    for (let run = 0; run < 2; run++) {
      const emulator = createEmulator(options);
      all.push(await answersOf(emulator));
      expect(emulator.journal.list().filter(({ failure }) => failure !== undefined)).toEqual([]);
      await emulator.close();
    }
    const [first = [], second = []] = all;
    expect(first.length).toBeGreaterThan(REQUESTS.length + READS.length + CONTROL.length);
    // One by one: a difference is told in the answer it is in.
    for (const [index, answer] of first.entries()) expect(second[index]).toBe(answer);
    expect(second).toHaveLength(first.length);
    const kinds = new Set(first.map((answer) => answer.split(" ")[2]));
    expect([...kinds]).toEqual(
      expect.arrayContaining(["video/mp4", "image/png", "image/jpeg", "audio/mpeg", "audio/flac"]),
    );
    expect(first.filter((answer) => answer.includes(" 500 ") || answer.includes(" 501 "))).toEqual([]);
  }, 120_000);
});

describe("another seed", () => {
  it("answers otherwise where it decides", async () => {
    const vectors = await Promise.all(
      [1, 2].map(async (seed) => {
        const emulator = createEmulator({ seed });
        const response = await emulator.fetch(`${emulator.url}/embeddings`, {
          method: "POST",
          headers: bearer("sk-emulator"),
          body: JSON.stringify({ model: "local-embedding", input: "one", dimensions: 64 }),
        });
        await emulator.close();
        return response.text();
      }),
    );
    expect(vectors[0]).not.toBe(vectors[1]);
  });
});
