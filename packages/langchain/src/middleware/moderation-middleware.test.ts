import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { ModelGateway } from "@model-gateway/core";
import type { Emulator } from "@model-gateway/emulator";
import { createAgent } from "langchain";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { completion, type ScriptedGateway, startScriptedGateway } from "../../test/scripted-gateway.js";
import { startToolEmulator } from "../../test/tool-emulator.js";
import { ChatModelGateway } from "../index.js";
import {
  ModelGatewayModerationError,
  type ModelGatewayModerationOptions,
  modelGatewayModerationMiddleware,
} from "../middleware.js";

const THREAT = "I'm going to stab my neighbour.";
const BLOCK = { action: "block", categories: { violence: true } };
const REVIEW = { action: "review", categories: { violence: true } };
const ALLOW = { action: "allow", categories: {} };

let emulator: Emulator;
let gateway: ModelGateway;
/** A gateway whose chat model says what a test writes down, and judges in turn. */
let scripted: ScriptedGateway;
beforeAll(async () => {
  ({ emulator, gateway } = await startToolEmulator());
  scripted = await startScriptedGateway();
});
beforeEach(() => {
  emulator.journal.clear();
  scripted.received.length = 0;
});
afterEach(() => emulator.faults.clear());
afterAll(async () => {
  await emulator.close();
  await scripted.close();
});

function agentOf(options: Partial<ModelGatewayModerationOptions> = {}) {
  const middleware = modelGatewayModerationMiddleware({ gateway, model: "local-moderation", ...options });
  return createAgent({
    model: new ChatModelGateway({ model: "local-chat", gateway }),
    tools: [],
    middleware: [middleware],
  });
}

const runs: string[] = [];
const send = tool(async ({ text }) => void runs.push(text), {
  name: "send",
  description: "Sends a text",
  schema: z.object({ text: z.string() }),
});
const sendCall = (text: string) => ({
  id: "call-1",
  type: "function",
  function: { name: "send", arguments: JSON.stringify({ text }) },
});
const verdict = (value: object) => completion({ content: JSON.stringify({ scores: {}, ...value }) });

/** An agent and its judge on the scripted gateway. */
function scriptedAgent(options: Partial<ModelGatewayModerationOptions> = {}, checkpointer?: MemorySaver) {
  const client = new ModelGateway({ ...scripted.connection, maxRetries: 0 });
  runs.length = 0;
  return createAgent({
    model: new ChatModelGateway({ model: "m", gateway: client }),
    tools: [send],
    checkpointer,
    middleware: [
      modelGatewayModerationMiddleware({ gateway: client, model: "judge", strategy: "chat", ...options }),
    ],
  });
}

const say = (text: string) => ({ messages: [new HumanMessage({ id: "question", content: text })] });
const modelCalls = () => emulator.journal.list({ path: "/chat/completions" });
const errorOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => Promise.reject(new Error("The run did not fail.")),
    (error: Error) => error,
  );
const shown = (messages: readonly BaseMessage[]) => messages.map(({ type, text }) => [type, text]);

describe("a prompt", () => {
  it("passes when nothing is wrong with it", async () => {
    const { messages } = await agentOf().invoke(say("What is 6*7?"));
    expect(messages.at(-1)?.text).toContain("42");
    expect(emulator.journal.list({ path: "/moderations" })).toHaveLength(2);
  });

  it("ends the run before the model is called when it is blocked", async () => {
    const { messages } = await agentOf().invoke(say(THREAT));
    expect(modelCalls()).toEqual([]);
    expect(shown(messages)).toEqual([
      ["human", "The message was stopped by moderation (violence)."],
      ["ai", "The message was stopped by moderation (violence)."],
    ]);
    expect(messages[0]?.id).toBe("question");
    expect(messages[0]?.response_metadata).toMatchObject({ moderation: { stage: "input", action: "block" } });
  });

  it("is judged by a chat model where the key has no moderation", async () => {
    const plain = new ModelGateway({ apiKey: "sk-emulator", baseURL: emulator.url });
    const { messages } = await agentOf({ gateway: plain, chatModel: "local-chat" }).invoke(say(THREAT));
    expect(messages.at(-1)?.text).toContain("stopped by moderation");
    expect(modelCalls()).toHaveLength(1);
  });

  it("throws a typed error when asked to", async () => {
    const error = await errorOf(agentOf({ onFlag: "error" }).invoke(say(THREAT)));
    expect(ModelGatewayModerationError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ stage: "input", messageId: "question", verdict: BLOCK });
    expect(modelCalls()).toEqual([]);
  });

  it("is replaced under its own id when asked to", async () => {
    const agent = agentOf({ onFlag: "replace", violationMessage: "[removed]" });
    const { messages } = await agent.invoke(say(THREAT));
    expect(messages.map(({ type }) => type)).toEqual(["human", "ai"]);
    expect(messages[0]).toMatchObject({ id: "question", content: "[removed]" });
    expect(JSON.stringify(modelCalls()[0]?.body)).not.toContain("stab");
  });

  it("is judged in every message since the last answer", async () => {
    const history = [new HumanMessage(THREAT), new HumanMessage("What is 6*7?")];
    const { messages } = await agentOf().invoke({ messages: history });
    expect(modelCalls()).toEqual([]);
    expect(messages[1]?.text).toBe("What is 6*7?");
    expect(messages.at(-1)?.text).toContain("stopped");
  });

  it("is not judged when that is turned off", async () => {
    await agentOf({ checkInput: false, checkOutput: false }).invoke(say(THREAT));
    expect(emulator.journal.list({ path: "/moderations" })).toEqual([]);
  });
});

describe("an answer", () => {
  it("loses its tool calls when it is blocked, and no tool runs", async () => {
    scripted.script(
      verdict(ALLOW),
      completion({
        content: "Sending it.",
        reasoning_content: "Hm.",
        tool_calls: [sendCall(THREAT)],
      }),
      verdict(BLOCK),
    );
    const { messages } = await scriptedAgent().invoke(say("Write to my neighbour."));
    expect(runs).toEqual([]);
    expect(messages).toHaveLength(2);
    const answer = messages[1] as AIMessage;
    expect(answer).toMatchObject({ id: "chatcmpl-1", tool_calls: [], additional_kwargs: {} });
    expect(answer.text).toBe("The answer was stopped by moderation (violence).");
    expect(answer.usage_metadata?.total_tokens).toBe(8);
    expect(JSON.stringify(scripted.lastBody)).toContain("stab my neighbour");
  });

  it("passes, and its tools run, when it is allowed", async () => {
    scripted.script(
      verdict(ALLOW),
      completion({ tool_calls: [sendCall("Hello")] }),
      verdict(ALLOW),
      completion({ content: "Sent." }, { id: "chatcmpl-2" }),
      verdict(ALLOW),
    );
    const { messages } = await scriptedAgent().invoke(say("Write to my neighbour."));
    expect(runs).toEqual(["Hello"]);
    expect(messages.at(-1)?.text).toBe("Sent.");
  });

  it("takes the object with it that was read from it", async () => {
    scripted.script(completion({ content: JSON.stringify({ text: THREAT }) }), verdict(BLOCK));
    const client = new ModelGateway({ ...scripted.connection, maxRetries: 0 });
    const agent = createAgent({
      model: new ChatModelGateway({ model: "m", gateway: client, profile: { structuredOutput: true } }),
      tools: [],
      responseFormat: z.object({ text: z.string() }),
      middleware: [
        modelGatewayModerationMiddleware({
          gateway: client,
          model: "judge",
          strategy: "chat",
          checkInput: false,
        }),
      ],
    });
    const { structuredResponse, messages } = await agent.invoke(say("Write to my neighbour."));
    expect(structuredResponse).toBeUndefined();
    expect(messages.at(-1)?.text).toContain("stopped");
  });
});

describe("a tool's result", () => {
  const history = [
    new HumanMessage("What did they write?"),
    new AIMessage({ content: "", tool_calls: [{ type: "tool_call", id: "call-1", name: "read", args: {} }] }),
    new ToolMessage({ id: "result", content: THREAT, tool_call_id: "call-1", artifact: { text: THREAT } }),
  ];

  it("is judged only when asked for", async () => {
    await agentOf().invoke({ messages: history });
    expect(modelCalls()).toHaveLength(1);
  });

  it("is replaced by an error of that tool", async () => {
    const agent = agentOf({ checkToolResults: true, onFlag: "replace" });
    const { messages } = await agent.invoke({ messages: history });
    expect(messages[2]).toMatchObject({ id: "result", tool_call_id: "call-1", status: "error" });
    expect((messages[2] as ToolMessage).artifact).toBeUndefined();
    expect(JSON.stringify(modelCalls()[0]?.body)).not.toContain("stab");
  });

  it("ends the run", async () => {
    const { messages } = await agentOf({ checkToolResults: true }).invoke({ messages: history });
    expect(modelCalls()).toEqual([]);
    expect(messages.at(-1)?.text).toBe("The result of a tool was stopped by moderation (violence).");
  });
});

describe("a verdict of review", () => {
  it("blocks when nobody reviews", async () => {
    scripted.script(verdict(REVIEW));
    const { messages } = await scriptedAgent().invoke(say("Hello"));
    expect(messages.at(-1)?.text).toContain("stopped");
    expect(scripted.received).toHaveLength(1);
  });

  it.each([
    ["allow", "Hello back."],
    ["block", "The message was stopped by moderation (violence)."],
  ] as const)("is decided by the reviewer: %s", async (decision, answer) => {
    scripted.script(verdict(REVIEW), completion({ content: "Hello back." }));
    const seen: unknown[] = [];
    const agent = scriptedAgent({
      checkOutput: false,
      review: (violation) => {
        seen.push([violation.stage, violation.message.text, violation.verdict.action]);
        return decision;
      },
    });
    expect((await agent.invoke(say("Hello"))).messages.at(-1)?.text).toBe(answer);
    expect(seen).toEqual([["input", "Hello", "review"]]);
  });
});

describe("a person who reviews", () => {
  it.each([
    ["allow", "Hello back."],
    ["block", "The message was stopped by moderation (violence)."],
  ] as const)("decides %s while the run waits", async (decision, answer) => {
    scripted.script(verdict(REVIEW), verdict(REVIEW), completion({ content: "Hello back." }));
    const agent = scriptedAgent(
      {
        checkOutput: false,
        review: ({ verdict: { action } }) => interrupt<string, "allow" | "block">(action),
      },
      new MemorySaver(),
    );
    const thread = { configurable: { thread_id: decision } };
    const waiting = await agent.invoke(say("Hello"), thread);
    expect(waiting).toMatchObject({ __interrupt__: [{ value: "review" }] });
    expect(scripted.received).toHaveLength(1);
    const { messages } = await agent.invoke(new Command({ resume: decision }), thread);
    expect(messages.at(-1)?.text).toBe(answer);
  });
});

describe("moderation that fails", () => {
  it("lets nothing through", async () => {
    emulator.faults.add({ kind: "status", status: 500, path: "/moderations" });
    const error = await errorOf(agentOf().invoke(say("What is 6*7?")));
    expect(error).toMatchObject({ kind: "server" });
    expect(modelCalls()).toEqual([]);
  });

  it("lets no answer through that is no verdict", async () => {
    scripted.script(completion({ content: "I'd rather not judge." }));
    const error = await errorOf(scriptedAgent().invoke(say("Hello")));
    expect(error).toMatchObject({ kind: "invalid_response" });
    expect(scripted.received).toHaveLength(1);
  });

  it("is overlooked with failOpen", async () => {
    emulator.faults.add({ kind: "status", status: 500, path: "/moderations" });
    const { messages } = await agentOf({ failOpen: true }).invoke(say("What is 6*7?"));
    expect(messages.at(-1)?.text).toContain("42");
  });

  it("is never overlooked when it is a mistake of the application", async () => {
    const agent = agentOf({ failOpen: true, strategy: "endpoint", model: "no-such-model" });
    const error = await errorOf(agent.invoke(say("What is 6*7?")));
    expect(error).toMatchObject({ kind: "not_found" });
  });

  it("ends at once when the run is aborted", async () => {
    const run = new AbortController();
    const silent = new ModelGateway(scripted.connection);
    scripted.script({ silent: true });
    const asked = scripted.nextRequest();
    const work = errorOf(
      agentOf({ gateway: silent, strategy: "chat", failOpen: true }).invoke(say("Hello"), {
        signal: run.signal,
      }),
    );
    await asked;
    run.abort();
    expect((await work).name).toBe("AbortError");
    await scripted.disconnected();
    expect(modelCalls()).toEqual([]);
  });
});
