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
import { ChatModelGateway, type ChatModelGatewayFields } from "./index.js";

const PNG = "iVBORw0KGgo=";
const PNG_URL = `data:image/png;base64,${PNG}`;
const PHOTO = "https://images.example/photo.jpg";

let gateway: ScriptedGateway;
beforeAll(async () => {
  gateway = await startScriptedGateway();
});
beforeEach(() => gateway.script(completion({ content: "ok" })));
afterAll(() => gateway.close());

async function sent(messages: BaseMessage[], fields: Partial<ChatModelGatewayFields> = {}) {
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

  it.each<[string, unknown]>([
    ["image_url as an object", { type: "image_url", image_url: { url: PHOTO, detail: "low" } }],
    ["image_url as a string", { type: "image_url", image_url: PHOTO, detail: "low" }],
    ["a standard block", { type: "image", url: PHOTO, detail: "low" }],
    ["the metadata of a standard block", { type: "image", url: PHOTO, metadata: { detail: "low" } }],
    ["a data block", { type: "image", source_type: "url", url: PHOTO, metadata: { detail: "low" } }],
  ])("keep the wanted level of detail, from %s", async (_name, block) => {
    expect(await sent([human([block])])).toEqual([
      { role: "user", content: [{ type: "image_url", image_url: { url: PHOTO, detail: "low" } }] },
    ]);
  });

  it("keep what a model reads beside them", async () => {
    const block = {
      type: "image_url",
      image_url: { url: PHOTO, format: "image/webp" },
      min_pixels: 100,
      cache_control: { type: "ephemeral" },
    };
    expect(await sent([human([block])])).toEqual([{ role: "user", content: [block] }]);
  });

  it("are refused as mere ids of files, with what to do instead", async () => {
    await expect(sent([human([{ type: "image", fileId: "file-1" }])])).rejects.toThrow(
      /messages\[0\]\.content\[0\] is an image without a URL or data.*pass url, or data with mimeType/,
    );
  });
});

describe("provider fields of parts", () => {
  const cached = { type: "text", text: "A long text.", cache_control: { type: "ephemeral" } };

  it("go out with the part they stand on: user, system and tool messages", async () => {
    expect(
      await sent([
        new SystemMessage({ content: [cached] }),
        human([cached, { type: "text", text: "Why?" }]),
        new AIMessage({ content: "", tool_calls: [{ type: "tool_call", id: "a", name: "read", args: {} }] }),
        new ToolMessage({ content: [cached], tool_call_id: "a" }),
      ]),
    ).toMatchObject([
      { role: "system", content: [cached] },
      { role: "user", content: [cached, { type: "text", text: "Why?" }] },
      { role: "assistant" },
      { role: "tool", content: [cached] },
    ]);
  });

  it("are taken from extras, the place that standard blocks have for them", async () => {
    const { cache_control, ...text } = cached;
    expect(await sent([human([{ ...text, extras: { cache_control } }])])).toEqual([
      { role: "user", content: [cached] },
    ]);
  });

  it("are not taken from LangChain's own fields", async () => {
    expect(await sent([human([{ type: "text", text: "Hi", index: 0, id: "x", annotations: [] }])])).toEqual([
      { role: "user", content: "Hi" },
    ]);
  });
});

describe("text files", () => {
  const base64 = Buffer.from("a,ü\n1,2").toString("base64");

  it.each<[string, unknown, string]>([
    ["a standard text block", { type: "text-plain", text: "a,ü\n1,2", title: "t.csv" }, "t.csv:\n\na,ü\n1,2"],
    [
      "a standard text block with data",
      { type: "text-plain", data: base64, mimeType: "text/plain" },
      "a,ü\n1,2",
    ],
    [
      "a standard file block",
      { type: "file", data: base64, mimeType: "text/csv", metadata: { filename: "t.csv" } },
      "t.csv:\n\na,ü\n1,2",
    ],
    [
      "a file block with bytes",
      { type: "file", data: Buffer.from("{}"), mimeType: "application/json" },
      "{}",
    ],
    ["a data URL", { type: "file", data: `data:text/csv;base64,${base64}` }, "a,ü\n1,2"],
    [
      "a data block",
      { type: "file", source_type: "base64", mime_type: "text/csv", data: base64 },
      "a,ü\n1,2",
    ],
    [
      "a data block of text",
      { type: "file", source_type: "text", mime_type: "text/plain", text: "Hi" },
      "Hi",
    ],
    [
      "Anthropic's document",
      { type: "document", source: { type: "text", media_type: "text/plain", data: "" }, text: "Hi" },
      "Hi",
    ],
  ])("are sent as text, from %s", async (_name, block, text) => {
    expect(await sent([human([block])])).toEqual([{ role: "user", content: text }]);
  });

  it("are refused as mere addresses, and so is text that is none", async () => {
    const message = "is a text file by its address or id: pass its text, or its data";
    await expect(sent([human([{ type: "text-plain", url: "https://a.example/t.csv" }])])).rejects.toThrow(
      message,
    );
    const binary = { type: "file", mimeType: "text/plain", data: "/////w==" };
    await expect(sent([human([binary])])).rejects.toThrow(message);
  });
});

describe('audio, video and files with fileParts: "openai"', () => {
  const pdf = `data:application/pdf;base64,${PNG}`;

  it.each<[string, unknown, unknown]>([
    [
      "a PDF",
      { type: "file", data: PNG, mimeType: "application/pdf", metadata: { filename: "a.pdf" } },
      { type: "file", file: { filename: "a.pdf", file_data: pdf } },
    ],
    [
      "a PDF without a name",
      { type: "file", source_type: "base64", data: PNG, mime_type: "application/pdf" },
      { type: "file", file: { filename: "document.pdf", file_data: pdf } },
    ],
    [
      "a file by its address",
      { type: "file", url: "https://a.example/a.pdf", mimeType: "application/pdf" },
      { type: "file", file: { filename: "document.pdf", file_data: "https://a.example/a.pdf" } },
    ],
    ["a file by its id", { type: "file", fileId: "f-1" }, { type: "file", file: { file_id: "f-1" } }],
    [
      "a file in the wire format",
      { type: "file", file: { file_id: "f-1" } },
      { type: "file", file: { file_id: "f-1" } },
    ],
    [
      "audio",
      { type: "audio", data: PNG, mimeType: "audio/mpeg" },
      { type: "input_audio", input_audio: { data: PNG, format: "mp3" } },
    ],
    [
      "audio in the wire format",
      { type: "input_audio", input_audio: { data: PNG, format: "wav" } },
      { type: "input_audio", input_audio: { data: PNG, format: "wav" } },
    ],
    [
      "a video by its address",
      { type: "video", url: "https://a.example/a.mp4" },
      { type: "video_url", video_url: { url: "https://a.example/a.mp4" } },
    ],
    [
      "a video as data",
      { type: "video", data: new Uint8Array([1, 2, 3]), mimeType: "video/mp4" },
      { type: "video_url", video_url: { url: "data:video/mp4;base64,AQID" } },
    ],
  ])("are sent: %s", async (_name, block, part) => {
    expect(await sent([human([block])], { fileParts: "openai" })).toEqual([
      { role: "user", content: [part] },
    ]);
  });

  it("are refused where the format has no form for them", async () => {
    await expect(
      sent([human([{ type: "audio", url: "https://a.example/a.wav" }])], { fileParts: "openai" }),
    ).rejects.toThrow("is audio by its address or id: pass its data with mimeType");
  });

  it("are refused otherwise, and the refusal says what can be set", async () => {
    await expect(sent([human([{ type: "file", data: PNG, mimeType: "application/pdf" }])])).rejects.toThrow(
      'or set fileParts: "openai"',
    );
  });

  it("of tool results move behind them", async () => {
    const call = { type: "tool_call" as const, id: "a", name: "read", args: {} };
    const result = new ToolMessage({
      tool_call_id: "a",
      content: [{ type: "file", data: PNG, mimeType: "application/pdf" }],
    });
    const answer = new AIMessage({ content: "", tool_calls: [call] });
    const wire = await sent([new HumanMessage("Hi"), answer, result], { fileParts: "openai" });
    expect((wire as unknown[]).slice(2)).toEqual([
      { role: "tool", content: "The result is in the files that follow.", tool_call_id: "a" },
      {
        role: "user",
        content: [
          { type: "text", text: "Files in the result of tool call a:" },
          { type: "file", file: { filename: "document.pdf", file_data: pdf } },
        ],
      },
    ]);
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

function wireCall(id: string, name: string, args: string) {
  return { id, type: "function", function: { name, arguments: args } };
}
