import { describe, expect, it } from "vitest";
import type { ChatCompletion } from "../chat/chat-types.js";
import { findChatImages, findMessageImages } from "./find-chat-images.js";

const A = "https://files.example/a.png";
const B = "https://files.example/b.jpeg?sig=1&x=(2)";
const DATA = "data:image/png;base64,iVBORw0KGgo=";

function find(content: unknown, more: object = {}): string[] {
  const message = { role: "assistant", content, ...more };
  return findChatImages({
    choices: [{ index: 0, message, finish_reason: "stop" }],
  } as unknown as ChatCompletion).urls;
}

describe("findChatImages", () => {
  it.each<[string, unknown, object, string[]]>([
    ["a bare link", A, {}, [A]],
    ["a link in a sentence", `Here it is: ${A}. Enjoy!`, {}, [A]],
    ["a link in Chinese prose", `图片在这里：${A}，请查看。`, {}, [A]],
    ["Markdown", `Done!\n\n![a fox](${A})\n\nAnything else?`, {}, [A]],
    ["Markdown with a title", `![a](${A} "A fox")`, {}, [A]],
    [
      "several Markdown images, each once",
      `![a](${A}) ![b](https://files.example/b.png) ![a](${A})`,
      {},
      [A, "https://files.example/b.png"],
    ],
    ["Markdown before other links", `See https://gateway.example/docs. ![a](${A})`, {}, [A]],
    ["a data URL", `Image: ${DATA} done`, {}, [DATA]],
    ["Markdown with a data URL", `![a](${DATA})`, {}, [DATA]],
    ["image links before others", `ID: 7\nDocs: https://gateway.example/x\nPreview: ${A}`, {}, [A]],
    ["a link without extension", "https://files.example/view?id=7", {}, ["https://files.example/view?id=7"]],
    [
      "content parts",
      [
        { type: "text", text: "ok" },
        { type: "image_url", image_url: { url: A } },
      ],
      {},
      [A],
    ],
    ["parts that hold the address itself", [{ type: "image_url", image_url: A }], {}, [A]],
    [
      "message.images",
      "",
      { images: [{ type: "image_url", image_url: { url: DATA } }, { url: A }, A] },
      [DATA, A],
    ],
    ["message.images in Base64", null, { images: [{ b64_json: "iVBORw0KGgo=" }] }, [DATA]],
    ["parts with Markdown text only", [{ type: "text", text: `![a](${A})` }], {}, [A]],
    ["no image", "I cannot do that.", {}, []],
    ["nothing", null, {}, []],
  ])("finds %s", (_name, content, more, expected) => {
    expect(find(content, more)).toEqual(expected);
  });

  it("keeps the query of a link", () => {
    expect(find("https://files.example/b.jpeg?sig=1&x=2")).toEqual([
      "https://files.example/b.jpeg?sig=1&x=2",
    ]);
    expect(find([{ type: "image_url", image_url: { url: B } }])).toEqual([B]);
  });

  it("takes an answer without choices for one without images", () => {
    expect(findChatImages({ choices: [] } as unknown as ChatCompletion)).toEqual({
      text: "",
      urls: [],
      fromText: false,
    });
  });
});

describe("findMessageImages", () => {
  it.each<[string, Parameters<typeof findMessageImages>[0], string[]]>([
    ["Markdown", { content: `Look: ![a](${A})` }, [A]],
    ["a data URL", { content: `Look: ${DATA}` }, [DATA]],
    ["content parts", { content: [{ type: "image_url", image_url: { url: A } }] }, [A]],
    ["message.images", { content: "Look", images: [{ image_url: { url: DATA } }] }, [DATA]],
    ["no bare link", { content: `Look at ${A}` }, []],
    ["nothing", { content: null }, []],
  ])("finds %s", (_name, message, expected) => {
    expect(findMessageImages(message)).toEqual(expected);
  });
});
