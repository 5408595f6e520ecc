import {
  AIMessage,
  type BaseMessage,
  ChatMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { InvalidRequestError } from "@model-gateway/core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { completion, type ScriptedGateway, startScriptedGateway } from "../test/scripted-gateway.js";
import { ChatModelGateway } from "./index.js";

const PNG = "iVBORw0KGgo=";
const PNG_URL = `data:image/png;base64,${PNG}`;
const PHOTO = "https://images.example/photo.jpg";
const IMAGE_PART = { type: "image_url", image_url: { url: PHOTO } };

let gateway: ScriptedGateway;
beforeAll(async () => {
  gateway = await startScriptedGateway();
});
beforeEach(() => gateway.script(completion({ content: "ok" })));
afterAll(() => gateway.close());

async function sent(messages: BaseMessage[], fields: { reasoningRoundTrip?: boolean } = {}) {
  await new ChatModelGateway("m", { ...gateway.connection, ...fields }).invoke(messages);
  return gateway.lastBody["messages"];
}

/** A message whose content a test writes as users do, types aside. */
function human(content: unknown): HumanMessage {
  return new HumanMessage({ content: content as HumanMessage["content"] });
}

describe("roles and text", () => {
  it("maps every role to one of the four that the API has", async () => {
    expect(
      await sent([
        new SystemMessage("Be brief."),
        new HumanMessage({ content: "Hi", name: "ada" }),
        new AIMessage("Hello"),
        new ChatMessage("More.", "user"),
        new ChatMessage("Rules.", "developer"),
      ]),
    ).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi", name: "ada" },
      { role: "assistant", content: "Hello" },
      { role: "user", content: "More." },
      { role: "system", content: "Rules." },
    ]);
  });

  it("sends content of text blocks alone as a string", async () => {
    expect(
      await sent([
        human([
          { type: "text", text: "Hel" },
          { type: "text", text: "lo" },
        ]),
      ]),
    ).toEqual([{ role: "user", content: "Hello" }]);
  });

  it("refuses an unknown role before anything is sent", async () => {
    const before = gateway.received.length;
    await expect(sent([new ChatMessage("Psst.", "narrator")])).rejects.toThrow(
      "messages[0].role must be system, user, assistant or tool",
    );
    expect(gateway.received).toHaveLength(before);
  });
});

describe("images in the input", () => {
  it.each<[string, unknown, string]>([
    ["a standard block with an address", { type: "image", url: PHOTO }, PHOTO],
    [
      "a standard block with Base64",
      { type: "image", mimeType: "image/webp", data: PNG },
      `data:image/webp;base64,${PNG}`,
    ],
    [
      "a standard block with bytes",
      { type: "image", mimeType: "image/png", data: new Uint8Array(Buffer.from(PNG, "base64")) },
      PNG_URL,
    ],
    [
      "a standard block whose type must be guessed",
      { type: "image", data: "/9j/4AAQ" },
      "data:image/jpeg;base64,/9j/4AAQ",
    ],
    ["a standard block with a data URL", { type: "image", data: PNG_URL }, PNG_URL],
    ["a data block with an address", { type: "image", source_type: "url", url: PHOTO }, PHOTO],
    [
      "a data block with Base64",
      { type: "image", source_type: "base64", mime_type: "image/png", data: PNG },
      PNG_URL,
    ],
    ["image_url as a string", { type: "image_url", image_url: PHOTO }, PHOTO],
    ["image_url as an object", { type: "image_url", image_url: { url: PHOTO } }, PHOTO],
    [
      "Anthropic's Base64 source",
      { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
      PNG_URL,
    ],
    ["Anthropic's address source", { type: "image", source: { type: "url", url: PHOTO } }, PHOTO],
  ])("are sent from %s", async (_name, block, url) => {
    expect(await sent([human([{ type: "text", text: "What is this?" }, block])])).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url } },
        ],
      },
    ]);
  });

  it("keep the wanted level of detail", async () => {
    const block = { type: "image_url", image_url: { url: PHOTO, detail: "low" } };
    expect(await sent([human([block])])).toEqual([{ role: "user", content: [block] }]);
  });

  it("are refused as mere ids of files, with what to do instead", async () => {
    await expect(sent([human([{ type: "image", fileId: "file-1" }])])).rejects.toThrow(
      /messages\[0\]\.content\[0\] is an image without a URL or data.*pass url, or data with mimeType/,
    );
  });
});

describe("parts the API has no place for", () => {
  it("are all named in one error before anything is sent", async () => {
    const before = gateway.received.length;
    const error = await sent([
      human([
        { type: "audio", data: "AAAA", mimeType: "audio/wav" },
        { type: "text", text: "Listen." },
        { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
      ]),
      human([
        { type: "video", url: "https://media.example/film.mp4" },
        { type: "file", data: "AAAA", mimeType: "application/pdf" },
      ]),
    ]).catch((thrown: unknown) => thrown);
    if (!InvalidRequestError.isInstance(error)) throw error;
    expect(error.problems.map(({ field }) => field)).toEqual([
      "messages[0].content[0]",
      "messages[0].content[2]",
      "messages[1].content[0]",
      "messages[1].content[1]",
    ]);
    expect(error.message).toContain("is of type audio: the API takes text and images only");
    expect(gateway.received).toHaveLength(before);
  });

  it("are dropped from answers of other providers, which are history and not the user's doing", async () => {
    const answer = new AIMessage({
      content: [
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "Calling." },
        { type: "tool_use", id: "a", name: "add", input: { x: 1 } },
      ],
      tool_calls: [{ type: "tool_call", id: "a", name: "add", args: { x: 1 } }],
    });
    expect(
      await sent([new HumanMessage("Hi"), answer, new ToolMessage({ content: "2", tool_call_id: "a" })], {
        reasoningRoundTrip: false,
      }),
    ).toEqual([
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Calling.", tool_calls: [wireCall("a", "add", '{"x":1}')] },
      { role: "tool", content: "2", tool_call_id: "a" },
    ]);
  });
});

describe("tool results", () => {
  it("move their images to a user message behind the last result", async () => {
    const calls = ["a", "b"].map((id) => ({ type: "tool_call" as const, id, name: "shoot", args: {} }));
    expect(
      await sent([
        new HumanMessage("Show me."),
        new AIMessage({ content: "", tool_calls: calls }),
        new ToolMessage({
          tool_call_id: "a",
          content: [
            { type: "text", text: "Taken." },
            { type: "image", url: PHOTO },
          ],
        }),
        new ToolMessage({ tool_call_id: "b", content: [{ type: "image_url", image_url: { url: PHOTO } }] }),
      ]),
    ).toEqual([
      { role: "user", content: "Show me." },
      {
        role: "assistant",
        content: "",
        tool_calls: [wireCall("a", "shoot", "{}"), wireCall("b", "shoot", "{}")],
      },
      { role: "tool", content: "Taken.", tool_call_id: "a" },
      { role: "tool", content: "The result is in the images that follow.", tool_call_id: "b" },
      {
        role: "user",
        content: [
          { type: "text", text: "Images in the result of tool call a:" },
          IMAGE_PART,
          { type: "text", text: "Images in the result of tool call b:" },
          IMAGE_PART,
        ],
      },
    ]);
  });
});

describe("reasoning", () => {
  const thought = (reasoning: string, id: string) =>
    new AIMessage({
      content: "",
      additional_kwargs: { reasoning_content: reasoning },
      tool_calls: [{ type: "tool_call", id, name: "add", args: {} }],
    });
  const conversation = [
    new HumanMessage("First"),
    thought("Old thoughts.", "a"),
    new ToolMessage({ content: "1", tool_call_id: "a" }),
    new AIMessage({ content: "One.", additional_kwargs: { reasoning_content: "Done." } }),
    new HumanMessage("Second"),
    thought("New thoughts.", "b"),
    new ToolMessage({ content: "2", tool_call_id: "b" }),
  ];

  async function sentReasoning(messages: BaseMessage[], fields?: { reasoningRoundTrip: boolean }) {
    const wire = (await sent(messages, fields)) as Array<{ reasoning_content?: string }>;
    return wire.map((message) => message.reasoning_content);
  }

  it("goes back inside the tool loop that is under way, and not for finished turns", async () => {
    expect(await sentReasoning(conversation)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      "New thoughts.",
      undefined,
    ]);
  });

  it("goes back from standard blocks too", async () => {
    const answer = new AIMessage({
      contentBlocks: [
        { type: "reasoning", reasoning: "Thinking." },
        { type: "tool_call", id: "a", name: "add", args: {} },
      ],
    });
    const result = new ToolMessage({ content: "1", tool_call_id: "a" });
    expect(await sentReasoning([new HumanMessage("Hi"), answer, result])).toEqual([
      undefined,
      "Thinking.",
      undefined,
    ]);
  });

  it("stays away with reasoningRoundTrip: false", async () => {
    expect((await sentReasoning(conversation, { reasoningRoundTrip: false })).some(Boolean)).toBe(false);
  });
});

function wireCall(id: string, name: string, args: string) {
  return { id, type: "function", function: { name, arguments: args } };
}
