import { describe, expect, it } from "vitest";
import { CHAT_IMAGE_FORMS } from "../api/chat-image-form.js";
import { imageSizeOf, readImageSize } from "../media/read-image-size.js";
import { readEventStream } from "../testing/read-event-stream.js";
import { dataURL, smallPng } from "../testing/small-png.js";
import { errorOf, startEmulator } from "../testing/start-emulator.js";

const PATH = "/chat/completions";
const URL_IN_TEXT = /https?:\/\/[^\s)]+/;

interface Part {
  type: string;
  image_url?: { url: string };
}
interface Message {
  role: string;
  content: string | Part[];
  images?: Part[];
}

function body(content: unknown, more: object = {}) {
  return { model: "local-chat-image", messages: [{ role: "user", content }], ...more };
}

async function ask(content: unknown, more: object = {}, options: object = {}) {
  const started = await startEmulator(options);
  const response = await started.post(PATH, body(content, more));
  expect(response.status, await response.clone().text()).toBe(200);
  const completion = await response.json();
  const message = completion.choices[0].message as Message;
  return { ...started, completion, message };
}

/** Where a message of any form has its image. */
function imageURLOf({ content, images }: Message): string {
  const parts = images ?? (typeof content === "string" ? [] : content);
  const embedded = parts.find(({ type }) => type === "image_url")?.image_url?.url;
  return embedded ?? (typeof content === "string" ? (URL_IN_TEXT.exec(content)?.[0] ?? "") : "");
}

async function sizeOfImage(message: Message) {
  const bytes = new Uint8Array(await (await fetch(imageURLOf(message))).arrayBuffer());
  const { width, height } = imageSizeOf(bytes) ?? {};
  return `${width}x${height}`;
}

describe("the image-chat model", () => {
  it("answers a completion with a Markdown image", async () => {
    const { completion, message } = await ask("a red fox");
    expect(completion).toEqual({
      id: expect.stringMatching(/^chatcmpl-/),
      object: "chat.completion",
      created: expect.any(Number),
      model: "local-chat-image",
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage: {
        prompt_tokens: expect.any(Number),
        completion_tokens: expect.any(Number),
        total_tokens: expect.any(Number),
      },
    });
    expect(message.content).toMatch(/^!\[a red fox\]\(http.*\/files\/.*\.png\?expires=.*\)$/);
    expect(await sizeOfImage(message)).toBe("1024x1024");
  });

  it.each([
    ["metadata.size", "a red fox", { metadata: { size: "2048x1152", quality: "high" } }, "2048x1152"],
    ["a prefix", "1536x1024 'a red fox'", {}, "1536x1024"],
    ["metadata before a prefix", "1536x1024 'a red fox'", { metadata: { size: "1024x1536" } }, "1024x1536"],
    ["a prefix without a size", "auto 'a red fox'", {}, "1024x1024"],
    ["an odd but allowed size", "a red fox", { metadata: { size: "1392x480" } }, "1392x480"],
  ])("takes the size from %s", async (_, prompt, more, size) => {
    const { message } = await ask(prompt, more);
    expect(await sizeOfImage(message)).toBe(size);
    expect(message.content).toContain("![a red fox]");
  });

  it.each(CHAT_IMAGE_FORMS)(
    "answers in the form %s, by marker or setting, whole or streamed",
    async (form) => {
      const { message } = await ask(`a red fox [[as:${form}]]`);
      expect(message.content).not.toContain("[[");
      expect(await sizeOfImage(message)).toBe("1024x1024");
      const bySetting = await ask("a red fox", {}, { chatImageForm: form });
      expect(typeof bySetting.message.content).toBe(form === "parts" ? "object" : "string");
      expect(bySetting.message.images === undefined).toBe(form !== "images");

      const { post } = await startEmulator({ chatImageForm: form });
      const stream = body("a red fox", { stream: true, stream_options: { include_usage: true } });
      const events = (await readEventStream(await post(PATH, stream))).map(({ data }) => data);
      expect(events.at(-1)).toBe("[DONE]");
      const streamed: Message = { role: "assistant", content: "" };
      for (const event of events.slice(0, -2) as { choices: { delta: Partial<Message> }[] }[]) {
        const delta = event.choices[0]?.delta ?? {};
        if (Array.isArray(delta.content)) streamed.content = delta.content;
        else if (typeof streamed.content === "string") streamed.content += delta.content ?? "";
        streamed.images ??= delta.images;
      }
      expect(await sizeOfImage(streamed)).toBe("1024x1024");
      expect(events.at(-2)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    },
  );

  it("says where the image is in an explanation", async () => {
    const { message } = await ask("a red fox [[as:text]]");
    expect(message.content).toMatch(/^I made the image .*: https?:\/\/\S+\n/);
    expect((await ask("a red fox [[as:url]]")).message.content).toMatch(/^https?:\/\/\S+$/);
  });

  it("makes its image from the images it is given, in their shape", async () => {
    const parts = [
      { type: "text", text: "add a hat" },
      { type: "image_url", image_url: { url: dataURL(smallPng(64, 32)) } },
    ];
    const { message } = await ask(parts, {}, { chatImageForm: "parts" });
    expect(readImageSize(imageURLOf(message))).toMatchObject({ width: 1_536, height: 1_024 });
    const plain = await ask("1536x1024 'add a hat'", {}, { chatImageForm: "parts" });
    expect(imageURLOf(message)).not.toBe(imageURLOf(plain.message));
  });

  it("answers several choices when asked", async () => {
    const { completion } = await ask("a red fox", { n: 2 });
    const [first, second] = completion.choices.map((choice: { message: Message }) =>
      imageURLOf(choice.message),
    );
    expect(first).not.toBe(second);
  });

  it.each<[string, unknown, object]>([
    ["metadata.size must be", "a fox", { metadata: { size: "1000x1000" } }],
    ["divisible by 16", "a fox", { metadata: { size: "1030x1024" } }],
    ["at least 655360 pixels", "a fox", { metadata: { size: "800x800" } }],
    ["aspect ratio of at most 3:1", "a fox", { metadata: { size: "2048x512" } }],
    ["metadata.size must have at most", "a fox", { metadata: { size: "8192x4096" } }],
    ["metadata.size must be a string", "a fox", { metadata: { size: 1_024 } }],
    ["metadata.quality must be one of", "a fox", { metadata: { quality: "best" } }],
    ["messages begin with a size prefix", "100x100 'a fox'", {}],
    [
      "messages must end in a user message",
      [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }],
      {},
    ],
    [
      "messages[0].content[0].image_url.url must be",
      [{ type: "image_url", image_url: { url: "a.png" } }],
      {},
    ],
  ])("refuses: %s", async (message, content, more) => {
    const { post } = await startEmulator();
    expect(await errorOf(await post(PATH, body(content, more)))).toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
    });
  });

  it("is refused where it does not belong, and so are others here", async () => {
    const { post } = await startEmulator();
    const generate = await post("/images/generations", { model: "local-chat-image", prompt: "a fox" });
    expect((await errorOf(generate)).message).toContain("served by POST /chat/completions, not here");
    for (const model of ["local-image", "local-image-b64"]) {
      expect(await errorOf(await post(PATH, { ...body("a fox"), model }))).toMatchObject({
        status: 400,
        code: "model_not_supported",
      });
    }
  });

  it("can be set to no form that there is not", async () => {
    await expect(startEmulator({ chatImageForm: "html" as "url" })).rejects.toThrow(
      "chatImageForm must be one of",
    );
  });
});
