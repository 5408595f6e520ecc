import { generateText, isStepCount, type ModelMessage, streamText, tool, type UserContent } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { COMPLETION, onScript, sendDeltas, sendJSON } from "../test/servers.js";
import type { ModelGatewayLanguageModelChatOptions } from "./index.js";

type WireMessage = Record<string, unknown>;

const PNG_BYTES = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const PNG = "data:image/png;base64,iVBORw0KGgo=";
const weather = tool({
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, celsius: 21 }),
});

function messagesOf(request: { json: Record<string, unknown> } | undefined): WireMessage[] {
  return (request?.json["messages"] ?? []) as WireMessage[];
}

/** What a conversation becomes on the wire, and the warnings about it. */
async function sent(
  messages: ModelMessage[],
  options: Pick<ModelGatewayLanguageModelChatOptions, "fileParts" | "sendReasoning"> = {},
): Promise<{ messages: WireMessage[]; warnings: unknown[] }> {
  const { modelGateway, requests } = await onScript((response) => sendJSON(response, COMPLETION));
  const { warnings } = await generateText({
    model: modelGateway("m"),
    messages,
    allowSystemInMessages: true,
    providerOptions: { modelGateway: { ...options } },
  });
  return { messages: messagesOf(requests[0]), warnings: warnings ?? [] };
}

const user = (...content: Exclude<UserContent, string>): ModelMessage => ({ role: "user", content });

describe("provider options of messages and parts", () => {
  const cache = { modelGateway: { cache_control: { type: "ephemeral" } } };

  it("go out on the part they stand on", async () => {
    const { messages } = await sent([
      user(
        { type: "text", text: "Long text.", providerOptions: cache },
        {
          type: "file",
          data: PNG_BYTES,
          mediaType: "image/png",
          providerOptions: { modelGateway: { detail: "low", cache_control: { type: "ephemeral" } } },
        },
      ),
    ]);
    expect(messages[0]?.["content"]).toEqual([
      { type: "text", text: "Long text.", cache_control: { type: "ephemeral" } },
      {
        type: "image_url",
        image_url: { url: PNG, detail: "low" },
        cache_control: { type: "ephemeral" },
      },
    ]);
  });

  it("go out on the message, and cache_control on its last part", async () => {
    const call: ModelMessage = {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "1", toolName: "weather", input: {} }],
    };
    const result: ModelMessage = {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "1",
          toolName: "weather",
          output: { type: "text", value: "warm" },
          providerOptions: cache,
        },
      ],
    };
    const { messages } = await sent([
      { role: "system", content: "Be brief.", providerOptions: cache },
      {
        role: "user",
        content: "Hi",
        providerOptions: { modelGateway: { name: "Mara", ...cache.modelGateway } },
      },
      call,
      result,
    ]);
    const cached = (text: string) => [{ type: "text", text, cache_control: { type: "ephemeral" } }];
    expect(messages[0]).toEqual({ role: "system", content: cached("Be brief.") });
    expect(messages[1]).toEqual({ role: "user", content: cached("Hi"), name: "Mara" });
    expect(messages[3]).toEqual({ role: "tool", tool_call_id: "1", content: cached("warm") });
  });

  it("of a tool go out with it, and its examples are warned of", async () => {
    const { modelGateway, requests } = await onScript((response) => sendJSON(response, COMPLETION));
    const cached = tool({
      inputSchema: z.object({ city: z.string() }),
      inputExamples: [{ input: { city: "Paris" } }],
      providerOptions: cache,
    });
    const { warnings } = await generateText({ model: modelGateway("m"), tools: { cached }, prompt: "x" });
    expect(requests[0]?.json["tools"]).toMatchObject([
      { type: "function", function: { name: "cached" }, cache_control: { type: "ephemeral" } },
    ]);
    expect(warnings).toMatchObject([
      { type: "unsupported", details: expect.stringContaining("addToolInputExamplesMiddleware") },
    ]);
  });

  it("of others stay away", async () => {
    const { messages } = await sent([
      {
        role: "user",
        content: "Hi",
        providerOptions: { elsewhere: { cacheControl: { type: "ephemeral" } } },
      },
    ]);
    expect(messages).toEqual([{ role: "user", content: "Hi" }]);
  });
});

describe("files of a prompt", () => {
  const pdf = { type: "file", data: Uint8Array.of(37, 80, 68, 70), mediaType: "application/pdf" } as const;

  it("that are text go out as text", async () => {
    const bytes = new TextEncoder().encode("Zürich, 21 °C");
    const { messages } = await sent([
      user(
        { type: "file", data: bytes, mediaType: "text/plain" },
        { type: "file", data: new TextEncoder().encode('{"a":1}'), mediaType: "application/json" },
      ),
    ]);
    expect(messages[0]?.["content"]).toEqual([
      { type: "text", text: "Zürich, 21 °C" },
      { type: "text", text: '{"a":1}' },
    ]);
  });

  it("that the API has no part for are refused, with what would send them", async () => {
    await expect(sent([user(pdf)])).rejects.toThrow(/application\/pdf; fileParts: "openai"/);
  });

  it("of earlier turns do not block the rest of the chat", async () => {
    const { messages, warnings } = await sent([
      user({ type: "text", text: "Read this." }, pdf),
      { role: "assistant", content: "I cannot." },
      user({ type: "text", text: "Then tell me a joke." }),
    ]);
    expect(messages[0]?.["content"]).toEqual([
      { type: "text", text: "Read this." },
      { type: "text", text: "[A file of type application/pdf was left out.]" },
    ]);
    expect(warnings).toMatchObject([{ type: "unsupported" }]);
  });

  it("go out as clients of the chat format send them where that is set", async () => {
    const { messages } = await sent(
      [
        user(
          { ...pdf, filename: "report.pdf" },
          { type: "file", data: Uint8Array.of(1, 2), mediaType: "audio/mpeg" },
          { type: "file", data: Uint8Array.of(3), mediaType: "video/mp4" },
          {
            type: "file",
            data: { type: "reference", reference: { modelGateway: "file-1" } },
            mediaType: "application/pdf",
          },
        ),
      ],
      { fileParts: "openai" },
    );
    expect(messages[0]?.["content"]).toEqual([
      { type: "file", file: { filename: "report.pdf", file_data: "data:application/pdf;base64,JVBERg==" } },
      { type: "input_audio", input_audio: { data: "AQI=", format: "mp3" } },
      { type: "video_url", video_url: { url: "data:video/mp4;base64,Aw==" } },
      { type: "file", file: { file_id: "file-1" } },
    ]);
  });
});

describe("the history", () => {
  it("keeps the pictures that the model made", async () => {
    const { messages, warnings } = await sent([
      { role: "user", content: "Draw." },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Here:" },
          { type: "file", data: PNG_BYTES, mediaType: "image/png" },
        ],
      },
      { role: "user", content: "Bluer, please." },
    ]);
    expect(messages[1]).toEqual({
      role: "assistant",
      content: [
        { type: "text", text: "Here:" },
        { type: "image_url", image_url: { url: PNG } },
      ],
    });
    expect(warnings).toEqual([]);
  });

  it("tells of files only where the result of a tool has some", async () => {
    const result = (toolCallId: string, toolName: string, withFile: boolean) => ({
      type: "tool-result" as const,
      toolCallId,
      toolName,
      output: {
        type: "content" as const,
        value: [
          { type: "text" as const, text: `result ${toolCallId}` },
          ...(withFile
            ? [
                {
                  type: "file" as const,
                  data: { type: "data" as const, data: PNG_BYTES },
                  mediaType: "image/png",
                },
              ]
            : []),
        ],
      },
    });
    const history = (...results: Array<ReturnType<typeof result>>): ModelMessage[] => [
      { role: "user", content: "Go." },
      {
        role: "assistant",
        content: results.map(({ toolCallId, toolName }) => ({
          type: "tool-call",
          toolCallId,
          toolName,
          input: {},
        })),
      },
      { role: "tool", content: results },
    ];
    const one = await sent(history(result("1", "draw", true), result("2", "count", false)));
    const image = { type: "image_url", image_url: { url: PNG } };
    expect(one.messages.slice(2)).toEqual([
      {
        role: "tool",
        tool_call_id: "1",
        content: "result 1\nThe files of draw follow in the next message.",
      },
      { role: "tool", tool_call_id: "2", content: "result 2" },
      { role: "user", content: [image] },
    ]);
    const two = await sent(history(result("1", "draw", true), result("2", "plot", true)));
    expect(two.messages.at(-1)?.["content"]).toEqual([
      { type: "text", text: "From draw:" },
      image,
      { type: "text", text: "From plot:" },
      image,
    ]);
  });

  it("notes a file of a tool that cannot be sent, and goes on", async () => {
    const { messages, warnings } = await sent([
      { role: "user", content: "Go." },
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "1", toolName: "print", input: {} }],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "1",
            toolName: "print",
            output: {
              type: "content",
              value: [
                {
                  type: "file",
                  data: { type: "data", data: Uint8Array.of(1) },
                  mediaType: "application/pdf",
                },
              ],
            },
          },
        ],
      },
    ]);
    expect(messages[2]?.["content"]).toBe("[A file of type application/pdf was left out.]");
    expect(warnings).toHaveLength(1);
  });
});

describe("what a model wants back", () => {
  const details = [
    { type: "reasoning.text", text: "Ask the ", index: 0 },
    { type: "reasoning.text", text: "tool.", signature: "sig", index: 0 },
    { type: "reasoning.encrypted", data: "AAA", index: 1 },
  ];
  const joined = [{ type: "reasoning.text", text: "Ask the tool.", signature: "sig", index: 0 }, details[2]];
  const extra = { extra_content: { google: { thought_signature: "abc" } } };
  const called = {
    index: 0,
    id: "c1",
    type: "function",
    function: { name: "weather", arguments: '{"city":"Paris"}' },
    ...extra,
  };

  it("comes back inside a tool loop: thought signatures and reasoning details, whole and streamed", async () => {
    const { modelGateway, requests } = await onScript((response, count, { json }) => {
      if (json["stream"] === true) {
        const deltas = [
          { reasoning: "Ask the ", reasoning_details: details.slice(0, 1) },
          { reasoning: "tool.", reasoning_details: details.slice(1, 2) },
          { reasoning_details: details.slice(2), tool_calls: [called] },
        ];
        return count === 1
          ? sendDeltas(response, deltas, "tool_calls")
          : sendDeltas(response, [{ content: "Warm." }], "stop");
      }
      const message = { role: "assistant", content: null, reasoning_details: joined, tool_calls: [called] };
      return count === 3
        ? sendJSON(response, {
            ...COMPLETION,
            choices: [
              { index: 0, message: { ...message, reasoning: "Ask the tool." }, finish_reason: "tool_calls" },
            ],
          })
        : sendJSON(response, COMPLETION);
    });
    const call = {
      model: modelGateway("m"),
      tools: { weather },
      stopWhen: isStepCount(3),
      prompt: "How warm is it?",
    };
    expect(await streamText(call).text).toBe("Warm.");
    await generateText(call);
    expect(requests).toHaveLength(4);
    const { index: _index, ...toolCall } = called;
    for (const request of [requests[1], requests[3]]) {
      expect(messagesOf(request)[1]).toEqual({
        role: "assistant",
        content: null,
        tool_calls: [toolCall],
        reasoning_content: "Ask the tool.",
        reasoning_details: joined,
      });
    }
  });

  it("comes back once, however many tools are called", async () => {
    const { modelGateway, requests } = await onScript((response, count) => {
      const second = { ...called, index: 1, id: "c2" };
      return count === 1
        ? sendDeltas(
            response,
            [{ reasoning_details: details.slice(2), tool_calls: [called, second] }],
            "tool_calls",
          )
        : sendDeltas(response, [{ content: "Warm." }], "stop");
    });
    const stopWhen = isStepCount(2);
    await streamText({ model: modelGateway("m"), tools: { weather }, stopWhen, prompt: "x" }).text;
    const { reasoning_details: sentDetails, tool_calls: calls } = messagesOf(requests[1])[1] ?? {};
    expect(sentDetails).toEqual(details.slice(2));
    expect(calls).toHaveLength(2);
  });

  it.each([
    [
      "thinking parts",
      { content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm." }], signature: "s" }] },
      {},
      { content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm." }], signature: "s" }] },
    ],
    [
      "thinking parts of plain text",
      { content: [{ type: "thinking", thinking: "Hm." }] },
      {},
      { content: [{ type: "thinking", thinking: "Hm." }] },
    ],
    [
      "redacted thinking",
      {
        content: [
          { type: "thinking", thinking: "Hm." },
          { type: "redacted_thinking", data: "AAA" },
        ],
      },
      {},
      {
        content: [
          { type: "thinking", thinking: "Hm." },
          { type: "redacted_thinking", data: "AAA" },
        ],
      },
    ],
    [
      "tags",
      { content: "<think>Hm.</think>\nI ask." },
      { thinkTags: true },
      { content: "<think>Hm.</think>\nI ask." },
    ],
    ["a field", { reasoning_content: "Hm." }, {}, { content: null, reasoning_content: "Hm." }],
  ])("is reasoning in the form in which it came: %s", async (_form, message, settings, expected) => {
    const { modelGateway, requests } = await onScript((response, count) =>
      count === 1
        ? sendJSON(response, {
            ...COMPLETION,
            choices: [
              {
                index: 0,
                message: { role: "assistant", content: null, ...message, tool_calls: [called] },
                finish_reason: "tool_calls",
              },
            ],
          })
        : sendJSON(response, COMPLETION),
    );
    const { steps } = await generateText({
      model: modelGateway("m", settings),
      tools: { weather },
      stopWhen: isStepCount(2),
      prompt: "How warm is it?",
    });
    expect(steps[0]?.reasoningText).toBe("Hm.");
    const { tool_calls: _calls, ...back } = messagesOf(requests[1])[1] ?? {};
    expect(back).toEqual({ role: "assistant", ...expected });
  });

  it("is held back where that is asked for, but for the call's own fields", async () => {
    const { modelGateway, requests } = await onScript((response, count) =>
      count === 1
        ? sendDeltas(
            response,
            [{ reasoning: "Hm.", reasoning_details: details.slice(0, 1), tool_calls: [called] }],
            "tool_calls",
          )
        : sendDeltas(response, [{ content: "Warm." }], "stop"),
    );
    const result = streamText({
      model: modelGateway("m"),
      tools: { weather },
      stopWhen: isStepCount(2),
      prompt: "How warm is it?",
      providerOptions: { modelGateway: { sendReasoning: false } },
    });
    expect(await result.text).toBe("Warm.");
    const { index: _index, ...toolCall } = called;
    expect(messagesOf(requests[1])[1]).toEqual({
      role: "assistant",
      content: null,
      tool_calls: [toolCall],
    });
  });
});
