import { describe, expect, it } from "vitest";
import { errorOf, startEmulator } from "../testing/start-emulator.js";

const user = { role: "user", content: "Hello" };
const chat = (members: object) => ({ model: "local-chat", messages: [user], ...members });
const part = (content: object) => chat({ messages: [{ role: "user", content: [content] }] });

describe("POST /chat/completions refuses", () => {
  it.each<[string, object, string]>([
    ["no model", { messages: [user] }, "model is required and must be a string"],
    ["no messages", { model: "local-chat" }, "messages is required"],
    ["empty messages", chat({ messages: [] }), "messages must be a non-empty array of messages"],
    [
      "an unknown role",
      chat({ messages: [{ role: "developer", content: "a" }] }),
      'messages[0].role must be one of "system", "user", "assistant", "tool" (got "developer")',
    ],
    ["a message without content", chat({ messages: [{ role: "user" }] }), "messages[0].content is required"],
    [
      "content of another kind",
      chat({ messages: [{ role: "user", content: 5 }] }),
      "messages[0].content must be a string or an array of parts",
    ],
    [
      "an unknown part",
      part({ type: "input_audio" }),
      'messages[0].content[0].type must be one of "text", "image_url"',
    ],
    ["a text part without text", part({ type: "text" }), "messages[0].content[0].text is required"],
    [
      "an image part without an object",
      part({ type: "image_url", image_url: "https://a.b/c.png" }),
      "messages[0].content[0].image_url must be an object",
    ],
    [
      "an image of another scheme",
      part({ type: "image_url", image_url: { url: "ftp://a.b" } }),
      "messages[0].content[0].image_url.url must be a public http(s) URL",
    ],
    [
      "a tool message without a call",
      chat({ messages: [user, { role: "tool", content: "x", tool_call_id: "call_1" }] }),
      "messages[1].tool_call_id must be the id of a tool call",
    ],
    [
      "a temperature of 2.1",
      chat({ temperature: 2.1 }),
      "temperature must be a number from 0 to 2 (got 2.1)",
    ],
    ["a temperature as text", chat({ temperature: "1" }), "temperature must be a number from 0 to 2"],
    ["max_tokens of 0", chat({ max_tokens: 0 }), "max_tokens must be an integer of at least 1 (got 0)"],
    ["max_tokens of 1.5", chat({ max_tokens: 1.5 }), "max_tokens must be an integer"],
    [
      "max_completion_tokens of 0",
      chat({ max_completion_tokens: 0 }),
      "max_completion_tokens must be a number of at least 1",
    ],
    ["stream as text", chat({ stream: "true" }), "stream must be a boolean"],
    ["metadata that is no object", chat({ metadata: [] }), "metadata must be an object"],
    ["a user that is no text", chat({ user: 1 }), "user must be a string"],
    [
      "stream_options without stream",
      chat({ stream_options: { include_usage: true } }),
      "stream_options is allowed only when stream is true",
    ],
    ["five stop sequences", chat({ stop: ["a", "b", "c", "d", "e"] }), "stop takes at most 4 sequences"],
    ["a tool of another type", chat({ tools: [{ type: "retrieval" }] }), 'tools[0].type must be "function"'],
    [
      "a tool name with spaces",
      chat({ tools: [{ type: "function", function: { name: "a b" } }] }),
      "tools[0].function.name must have 1 to 64 characters",
    ],
    [
      "a choice of a tool that is not there",
      chat({
        tools: [{ type: "function", function: { name: "a" } }],
        tool_choice: { type: "function", function: { name: "b" } },
      }),
      'tool_choice.function.name must be the name of one of the tools (got "b")',
    ],
    ["tool_choice required without tools", chat({ tool_choice: "required" }), "tool_choice needs tools"],
    [
      "a response format it does not know",
      chat({ response_format: { type: "xml" } }),
      "response_format.type must be one of",
    ],
    [
      "a json_schema without a name",
      chat({ response_format: { type: "json_schema", json_schema: { schema: {} } } }),
      "response_format.json_schema.name is required",
    ],
  ])("%s", async (_, body, message) => {
    const { post } = await startEmulator();
    const error = await errorOf(await post("/chat/completions", body));
    expect(error).toMatchObject({ status: 400, code: "invalid_parameter" });
    expect(error.message).toContain(message);
  });

  it("a model that the key does not reach", async () => {
    const { post } = await startEmulator();
    const error = await errorOf(await post("/chat/completions", chat({ model: "gpt-99" })));
    expect(error).toMatchObject({ status: 404, code: "model_not_found" });
  });

  it("all problems at once, the first of them first", async () => {
    const { post } = await startEmulator();
    const { message } = await errorOf(
      await post("/chat/completions", chat({ temperature: 3, max_tokens: 0, stream: 1 })),
    );
    expect(message).toMatch(/^stream must be a boolean \(got 1\)\. Also: max_tokens .+; temperature .+\.$/);
  });
});

describe("POST /chat/completions accepts", () => {
  it.each<[string, object]>([
    [
      "null for what is optional",
      chat({
        temperature: null,
        max_tokens: null,
        tools: null,
        stop: null,
        response_format: null,
        stream: null,
      }),
    ],
    ["both bounds of temperature", chat({ temperature: 2 })],
    ["members of neither description nor wire format", chat({ enable_thinking: true, top_k: 5 })],
    [
      "the rest of the wire format",
      chat({
        top_p: 0.5,
        seed: 1,
        n: 1,
        presence_penalty: 1,
        frequency_penalty: -1,
        logit_bias: {},
        reasoning_effort: "low",
      }),
    ],
    [
      "an assistant message with calls and no content",
      chat({
        messages: [
          user,
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
          },
          { role: "tool", tool_call_id: "c", content: "4" },
        ],
      }),
    ],
  ])("%s", async (_, body) => {
    const { post } = await startEmulator();
    expect((await post("/chat/completions", body)).status).toBe(200);
  });
});
