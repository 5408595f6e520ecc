import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { convertReadableStreamToArray } from "@ai-sdk/provider-utils/test";
import { AISDKError } from "ai";
import { describe, expect, it } from "vitest";
import { COMPLETION, onScript, sendJSON } from "../test/servers.js";
import { grammarProblems } from "../test/stream-grammar.js";

const CALL: LanguageModelV4CallOptions = {
  prompt: [{ role: "user", content: [{ type: "text", text: "x" }] }],
};

const ODD: unknown[] = [null, 0, 7, true, "text", "", [], [null], [0], ["x"], {}, { a: { b: null } }, [[]]];
const FIELDS = [
  ...["content", "refusal", "tool_calls", "reasoning", "reasoning_content", "reasoning_details"],
  ...["annotations", "images", "audio", "role"],
];
const PARTS = ["thinking", "text", "refusal", "image_url", "input_audio", "reasoning"];

/** Messages that no description allows: every field with every kind of value, and parts of every type. */
const MESSAGES: unknown[] = [
  ...FIELDS.flatMap((field) => ODD.map((value) => ({ [field]: value }))),
  ...PARTS.flatMap((type) => ODD.map((value) => ({ content: [{ type, [type]: value, text: value }] }))),
  ...ODD.map((value) => ({ tool_calls: [{ index: value, id: value, function: value }] })),
  ...ODD.map((value) => ({ tool_calls: [{ function: { name: value, arguments: value } }] })),
  ...ODD.map((value) => ({ annotations: [{ type: "url_citation", url_citation: value }] })),
];

const CHOICES: unknown[] = [
  ...ODD.map((value) => [value]),
  ...ODD.map((value) => [{ message: value, delta: value }]),
  ...ODD.map((value) => [{ index: value, finish_reason: value, message: { content: "x" } }]),
];

async function outcome(run: () => Promise<unknown>): Promise<unknown> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe("answers that no description allows", () => {
  it("are read as far as they go, or end with an error of the SDK, never with a raw one", async () => {
    let body: unknown;
    const { modelGateway } = await onScript((response) => sendJSON(response, body));
    const model = modelGateway("m", { thinkTags: true });
    const bodies = [
      ...MESSAGES.map((message) => ({
        ...COMPLETION,
        choices: [{ index: 0, message, finish_reason: "stop" }],
      })),
      ...CHOICES.map((choices) => ({ ...COMPLETION, choices })),
      ...ODD.map((usage) => ({ ...COMPLETION, usage })),
      ...ODD.map((value) => ({ ...COMPLETION, id: value, model: value, created: value })),
    ];
    for (body of bodies) {
      const error = await outcome(async () => model.doGenerate(CALL));
      if (error !== undefined && !AISDKError.isInstance(error)) {
        throw new Error(`${JSON.stringify(body)} gives ${String(error)}`, { cause: error });
      }
    }
  });

  it("in a stream are read as far as they go, and always come to an end", async () => {
    let chunk: unknown;
    const { modelGateway } = await onScript((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const end = { ...COMPLETION, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
      response.end([chunk, end].map((data) => `data: ${JSON.stringify(data)}\n\n`).join(""));
    });
    const model = modelGateway("m", { thinkTags: true });
    const chunks = [
      ...MESSAGES.map((delta) => ({ ...COMPLETION, choices: [{ index: 0, delta }] })),
      ...CHOICES.map((choices) => ({ ...COMPLETION, choices })),
      ...ODD.map((usage) => ({ ...COMPLETION, choices: [], usage })),
      ...ODD.map((value) => ({ ...COMPLETION, id: value, model: value, created: value, choices: [] })),
    ];
    for (chunk of chunks) {
      const { stream } = await model.doStream(CALL);
      const parts = await convertReadableStreamToArray(stream);
      expect(grammarProblems(parts), JSON.stringify(chunk)).toEqual([]);
      for (const part of parts) {
        if (part.type === "error" && part.error instanceof TypeError) {
          throw new Error(`${JSON.stringify(chunk)} gives ${String(part.error)}`, { cause: part.error });
        }
      }
    }
  });
});
