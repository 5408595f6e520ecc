import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { convertReadableStreamToArray } from "@ai-sdk/provider-utils/test";
import { generateText, streamText } from "ai";
import { describe, expect, it } from "vitest";
import { COMPLETION, onEmulator, onScript, sendDeltas, sendJSON } from "../test/servers.js";
import { grammarProblems } from "../test/stream-grammar.js";

const PNG = "iVBORw0KGgo=";
const CALL: LanguageModelV4CallOptions = {
  prompt: [{ role: "user", content: [{ type: "text", text: "draw" }] }],
};
const LINK = "https://files.example/1.png";

/** Messages as routes send them, and the files that must come out: media type and address or Base64. */
const MESSAGES: Array<[string, object, Array<[string, string]>]> = [
  ["Markdown", { content: `Here: ![a](${LINK})` }, [["image/*", LINK]]],
  ["a data URL", { content: `![a](data:image/png;base64,${PNG})` }, [["image/png", PNG]]],
  [
    "content parts",
    {
      content: [
        { type: "text", text: "Here" },
        { type: "image_url", image_url: { url: LINK } },
      ],
    },
    [["image/*", LINK]],
  ],
  [
    "message.images",
    { content: "Here", images: [{ type: "image_url", image_url: { url: `data:image/webp;base64,${PNG}` } }] },
    [["image/webp", PNG]],
  ],
  ["no bare link", { content: `See ${LINK}` }, []],
];

function fileOf(part: { type: string }): [string, string] | undefined {
  const { type, mediaType, data } = part as {
    type: string;
    mediaType: string;
    data: { url?: URL; data?: string };
  };
  return type === "file" ? [mediaType, data.url?.href ?? String(data.data)] : undefined;
}

describe("images that a chat model makes", () => {
  it.each(MESSAGES)("are files of the answer: %s", async (_name, message, expected) => {
    const { modelGateway } = await onScript((response) =>
      sendJSON(response, {
        ...COMPLETION,
        choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
      }),
    );
    const { content } = await modelGateway("m").doGenerate(CALL);
    expect(content.map(fileOf).filter(Boolean)).toEqual(expected);
  });

  it.each(MESSAGES)("are files of a stream: %s", async (_name, message, expected) => {
    const { modelGateway } = await onScript((response) => sendDeltas(response, [message], "stop"));
    const { stream } = await modelGateway("m").doStream(CALL);
    const parts = await convertReadableStreamToArray(stream);
    expect(grammarProblems(parts)).toEqual([]);
    expect(parts.map(fileOf).filter(Boolean)).toEqual(expected);
  });

  it("reach the user of generateText and streamText", async () => {
    const { modelGateway } = await onScript((response, count) => {
      const message = { content: `Done. ![a](data:image/png;base64,${PNG})` };
      if (count === 2) return sendDeltas(response, [message], "stop");
      return sendJSON(response, {
        ...COMPLETION,
        choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
      });
    });
    const { files } = await generateText({ model: modelGateway("m"), prompt: "draw" });
    expect(files[0]).toMatchObject({ mediaType: "image/png", base64: PNG });
    const streamed = streamText({ model: modelGateway("m"), prompt: "draw" });
    expect((await streamed.files)[0]).toMatchObject({ mediaType: "image/png", base64: PNG });
  });

  it("are fetched with the key from the gateway's own host, and without where the model wrote the address", async () => {
    const { modelGateway, requests, origin } = await onScript((response, count, { path, json }) => {
      if (path === "/1.png") {
        return response.writeHead(200, { "content-type": "image/png" }).end(Buffer.from(PNG, "base64"));
      }
      const written = count > 4;
      const message = written
        ? { role: "assistant", content: `![a](${origin}/1.png)` }
        : { role: "assistant", content: "", images: [{ image_url: { url: `${origin}/1.png` } }] };
      if (json["stream"] === true) return sendDeltas(response, [message], "stop");
      return sendJSON(response, { ...COMPLETION, choices: [{ index: 0, message, finish_reason: "stop" }] });
    });
    const { files } = await generateText({ model: modelGateway("m"), prompt: "draw" });
    expect(files[0]).toMatchObject({ mediaType: "image/png", base64: PNG });
    const streamed = streamText({ model: modelGateway("m"), prompt: "draw" });
    expect((await streamed.files)[0]).toMatchObject({ mediaType: "image/png", base64: PNG });
    await generateText({ model: modelGateway("m"), prompt: "draw" });
    await streamText({ model: modelGateway("m"), prompt: "draw" }).files;
    const downloads = requests.filter(({ path }) => path === "/1.png");
    expect(downloads.map(({ headers }) => headers["authorization"])).toEqual([
      "Bearer sk-test",
      "Bearer sk-test",
      undefined,
      undefined,
    ]);
  });

  it("are none where a prompt made the model write the address of something else", async () => {
    const { modelGateway, requests, origin } = await onScript((response, _count, { path }) => {
      if (path === "/balance") return sendJSON(response, { balance: 7 });
      const message = { role: "assistant", content: `![a](${origin}/balance)` };
      return sendJSON(response, { ...COMPLETION, choices: [{ index: 0, message, finish_reason: "stop" }] });
    });
    const { files, text } = await generateText({ model: modelGateway("m"), prompt: "draw" });
    expect([files, text]).toEqual([[], `![a](${origin}/balance)`]);
    expect(requests.at(-1)?.headers["authorization"]).toBeUndefined();
  });

  it("that cannot be fetched end the call without another one", async () => {
    const { modelGateway, requests, origin } = await onScript((response, _count, { path, json }) => {
      if (path === "/1.png") return response.writeHead(404).end();
      const message = { role: "assistant", content: `![a](${origin}/1.png)` };
      if (json["stream"] === true) return sendDeltas(response, [message], "stop");
      return sendJSON(response, { ...COMPLETION, choices: [{ index: 0, message, finish_reason: "stop" }] });
    });
    const call = generateText({ model: modelGateway("m"), prompt: "draw" });
    await expect(call).rejects.toMatchObject({ isRetryable: false });
    const errors: unknown[] = [];
    const streamed = streamText({
      model: modelGateway("m"),
      prompt: "draw",
      onError: ({ error }) => void errors.push(error),
    });
    await streamed.consumeStream();
    expect(String(errors[0])).toContain("were made, but could not be downloaded");
    expect(requests.filter(({ path }) => path !== "/1.png")).toHaveLength(2);
  });

  it("come from the image-chat model of the emulator", async () => {
    const { modelGateway } = await onEmulator();
    const { files } = await generateText({ model: modelGateway("local-chat-image"), prompt: "draw a fox" });
    expect(files[0]?.mediaType).toBe("image/png");
    const streamed = streamText({ model: modelGateway("local-chat-image"), prompt: "draw a fox" });
    expect((await streamed.files)[0]?.mediaType).toBe("image/png");
  });
});
