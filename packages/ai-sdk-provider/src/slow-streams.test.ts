import type { ServerResponse } from "node:http";
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { convertReadableStreamToArray } from "@ai-sdk/provider-utils/test";
import { isStepCount, Output, streamText, ToolLoopAgent, tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { onScript } from "../test/servers.js";

const HEAD = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_760_000_000, model: "m" };
const delta = (value: object, finish: string | null = null) => ({
  ...HEAD,
  choices: [{ index: 0, delta: value, finish_reason: finish }],
});
const USAGE = { ...HEAD, choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } };

/** As a real route does it: every event in a packet of its own, most of which make no part. */
async function sendSlowly(response: ServerResponse, events: readonly unknown[]): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of [...events.map((value) => `data: ${JSON.stringify(value)}\n\n`), "data: [DONE]\n\n"]) {
    response.write(event);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  response.end();
}

const text = (...words: string[]) => [
  delta({ role: "assistant", content: "" }),
  ...words.map((word) => delta({ content: word })),
  delta({ content: "" }),
  delta({}, "stop"),
  USAGE,
];

const call = (args: string) => [
  delta({ role: "assistant", content: null }),
  delta({
    tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "weather", arguments: "" } }],
  }),
  ...[...args].map((letter) =>
    delta({ tool_calls: [{ index: 0, function: { name: "", arguments: letter } }] }),
  ),
  delta({}, "tool_calls"),
  USAGE,
];

const weather = tool({
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `21 degrees in ${city}`,
});

describe("answers whose events arrive one by one", () => {
  it("end for streamText, with finish reason and usage", async () => {
    const { modelGateway } = await onScript((response) => void sendSlowly(response, text("All ", "of it.")));
    const result = streamText({ model: modelGateway("m"), prompt: "x" });
    expect(await result.text).toBe("All of it.");
    expect(await result.finishReason).toBe("stop");
    expect((await result.usage).totalTokens).toBe(5);
  });

  it("end for streamText with an output", async () => {
    const { modelGateway } = await onScript(
      (response) => void sendSlowly(response, text('{"city":', '"Paris"', "}")),
    );
    const output = Output.object({ schema: z.object({ city: z.string() }) });
    const result = streamText({ model: modelGateway("m"), prompt: "x", output });
    expect(await result.output).toEqual({ city: "Paris" });
  });

  it("end for an agent that calls a tool, and its second answer too", async () => {
    const { modelGateway, requests } = await onScript(
      (response, count) =>
        void sendSlowly(response, count === 1 ? call('{"city":"Paris"}') : text("It is ", "warm.")),
    );
    const agent = new ToolLoopAgent({
      model: modelGateway("m"),
      tools: { weather },
      stopWhen: isStepCount(3),
    });
    const result = await agent.stream({ prompt: "How warm is it in Paris?" });
    expect(await result.text).toBe("It is warm.");
    expect((await result.steps).map(({ finishReason }) => finishReason)).toEqual(["tool-calls", "stop"]);
    expect(requests).toHaveLength(2);
  });

  it("close the connection when the reader leaves while nothing arrives", async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const { modelGateway } = await onScript((response) => {
      closed = new Promise((resolve) => response.once("close", resolve));
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify(delta({ content: "" }))}\n\n`);
    });
    const { stream } = await modelGateway("m").doStream({
      prompt: [{ role: "user", content: [{ type: "text", text: "x" }] }],
    });
    const reader = stream.getReader();
    expect((await reader.read()).value?.type).toBe("stream-start");
    expect((await reader.read()).value?.type).toBe("response-metadata");
    const waiting = reader.read();
    await reader.cancel();
    expect((await waiting).done).toBe(true);
    await closed;
  });
});

describe("deltas", () => {
  const CALL: LanguageModelV4CallOptions = {
    prompt: [{ role: "user", content: [{ type: "text", text: "x" }] }],
  };
  const wire = (events: readonly unknown[]) =>
    events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

  it("that arrive together are one part, per block and tool call", async () => {
    const events = [
      delta({ reasoning_content: "I " }),
      delta({ reasoning_content: "think." }),
      ...text("All ", "of ", "it.").slice(0, -2),
      ...call('{"city":"Paris"}').slice(1),
    ];
    const { modelGateway } = await onScript((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`${wire(events)}data: [DONE]\n\n`);
    });
    const { stream } = await modelGateway("m").doStream(CALL);
    const parts = await convertReadableStreamToArray(stream);
    const deltas = parts.flatMap((part) => ("delta" in part ? [[part.type, part.delta]] : []));
    expect(deltas).toEqual([
      ["reasoning-delta", "I think."],
      ["text-delta", "All of it."],
      ["tool-input-delta", '{"city":"Paris"}'],
    ]);
  });

  it("stay apart beside the raw chunks that they came in", async () => {
    const { modelGateway } = await onScript((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`${wire(text("All ", "of it."))}data: [DONE]\n\n`);
    });
    const { stream } = await modelGateway("m").doStream({ ...CALL, includeRawChunks: true });
    const parts = await convertReadableStreamToArray(stream);
    const kinds = parts.map((part) => ("delta" in part ? part.delta : part.type));
    const first = kinds.indexOf("All ");
    expect(kinds.slice(first, first + 3)).toEqual(["All ", "raw", "of it."]);
  });

  it("are handed out at once, whether or not more follows", async () => {
    let goOn = () => {};
    const { modelGateway } = await onScript(async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of text("All ", "of ", "it.")) {
        const read = new Promise<void>((resolve) => {
          goOn = resolve;
        });
        response.write(wire([event]));
        if (event.choices[0]?.delta && (event.choices[0].delta as { content?: string }).content) await read;
      }
      response.end("data: [DONE]\n\n");
    });
    const { stream } = await modelGateway("m").doStream(CALL);
    const deltas: string[] = [];
    for await (const part of stream) {
      if (part.type !== "text-delta") continue;
      deltas.push(part.delta);
      goOn();
    }
    expect(deltas).toEqual(["All ", "of ", "it."]);
  });
});
