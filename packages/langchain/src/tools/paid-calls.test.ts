import { AIMessage, type ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import type { ModelGateway } from "@model-gateway/core";
import type { Emulator } from "@model-gateway/emulator";
import { createAgent, toolRetryMiddleware } from "langchain";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { startToolEmulator, toolCall } from "../../test/tool-emulator.js";
import { ChatModelGateway } from "../index.js";
import { imageEditTool, imageGenerationTool, speechTool, videoTool } from "../tools.js";

let emulator: Emulator;
let gateway: ModelGateway;
beforeAll(async () => {
  ({ emulator, gateway } = await startToolEmulator());
});
beforeEach(() => emulator.journal.clear());
afterEach(() => emulator.faults.clear());
afterAll(() => emulator.close());

const fox = { prompt: "A red fox" };
const paths = { image: "/images/generations", speech: "/audio/speech", video: "/videos" };
const posts = (path: string) =>
  emulator.journal.list({ path }).filter(({ method }) => method === "POST").length;
const loseAnswers = (path: string) => emulator.faults.add({ kind: "drop-after", path, times: 10 });
const quick = { stopAfterAttempt: 2 };

/** Small and short: what is paid for is not looked at. */
const pixels = { size: "512x512" };
const clip = { duration: 4, resolution: "480p" as const };

function draw(fields: object = {}) {
  return imageGenerationTool({ gateway, model: "local-image", request: pixels, ...fields });
}

describe("a paid call whose answer was lost", () => {
  it("is paid once under withRetry", async () => {
    loseAnswers(paths.image);
    await expect(
      draw()
        .withRetry(quick)
        .invoke({ ...fox }),
    ).rejects.toThrow("may have been carried out");
    expect(posts(paths.image)).toBe(1);
  });

  it("is paid once with fallbacks, whichever of our tools they are", async () => {
    loseAnswers(paths.image);
    const other = imageGenerationTool({ gateway, model: "local-image-b64" });
    await expect(
      draw()
        .withFallbacks([other])
        .invoke({ ...fox }),
    ).rejects.toThrow("may have been carried out");
    expect(posts(paths.image)).toBe(1);
  });

  it("is paid once when it is spoken or filmed", async () => {
    loseAnswers(paths.speech);
    const speak = speechTool({ gateway, model: "local-speech", request: { format: "wav" } });
    await expect(speak.withRetry(quick).invoke({ text: "Hello" })).rejects.toThrow("may have been");
    expect(posts(paths.speech)).toBe(1);
    loseAnswers(paths.video);
    const film = videoTool({ gateway, model: "local-video-2.0", request: clip });
    await expect(film.withRetry(quick).invoke({ ...fox })).rejects.toThrow("may have been");
    expect(posts(paths.video)).toBe(1);
  });

  it("is paid once as a tool call under withRetry inside of a traced run", async () => {
    loseAnswers(paths.image);
    const failing = draw().pipe(
      RunnableLambda.from((message: ToolMessage) => {
        throw new Error(message.text);
      }),
    );
    const run = failing.withRetry(quick).invoke(toolCall("generate_image", { ...fox }), { callbacks: [{}] });
    await expect(run).rejects.toThrow("may have been carried out");
    expect(posts(paths.image)).toBe(1);
  });

  it("is paid again when asked for, and with arguments that are new", async () => {
    loseAnswers(paths.image);
    const paying = draw({ retryBillable: true }).withRetry({ stopAfterAttempt: 2 });
    await expect(paying.invoke({ ...fox })).rejects.toThrow();
    expect(posts(paths.image)).toBe(2);
    for (let time = 0; time < 2; time++) await expect(draw().invoke({ ...fox })).rejects.toThrow();
    expect(posts(paths.image)).toBe(4);
  });
});

describe("arguments of a call whose answer was lost", () => {
  afterEach(() => vi.useRealTimers());

  it("are taken again once no retry can be behind it", async () => {
    loseAnswers(paths.image);
    const args = { ...fox };
    for (let time = 0; time < 2; time++) await expect(draw().invoke(args)).rejects.toThrow("may have been");
    expect(posts(paths.image)).toBe(1);
    emulator.faults.clear();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 11 * 60_000 });
    expect(await draw().invoke(args)).toContain("generated");
    expect(posts(paths.image)).toBe(2);
  });
});

describe("a paid call that was refused, and so not billed", () => {
  it("is repeated by withRetry", async () => {
    emulator.faults.add({ kind: "status", status: 429, path: paths.image, times: 1 });
    expect(
      await draw()
        .withRetry(quick)
        .invoke({ ...fox }),
    ).toContain("generated");
    expect(posts(paths.image)).toBe(2);
  });
});

describe("a paid tool call that was answered", () => {
  const flaky = () => {
    let calls = 0;
    return tool(
      async () => {
        if (++calls === 1) throw new Error("flaky");
        return "fine";
      },
      { name: "flaky", schema: z.object({}) },
    );
  };
  const asking = () =>
    new AIMessage({
      content: "",
      tool_calls: [
        { type: "tool_call", id: "call-1", name: "generate_image", args: { ...fox } },
        { type: "tool_call", id: "call-2", name: "flaky", args: {} },
      ],
    });

  it("is not paid again when its step of a graph is tried again for another tool's sake", async () => {
    const tools = new ToolNode([draw(), flaky()], { handleToolErrors: false });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("tools", tools, { retryPolicy: { maxAttempts: 3, initialInterval: 1, retryOn: () => true } })
      .addEdge("__start__", "tools")
      .compile();
    const { messages } = await graph.invoke({ messages: [asking()] });
    expect(messages.map(({ text }) => text).slice(1)).toEqual([expect.stringContaining("generated"), "fine"]);
    expect(posts(paths.image)).toBe(1);
  });

  it("is paid again in another run, whatever its id", async () => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("tools", new ToolNode([draw()]))
      .addEdge("__start__", "tools")
      .compile();
    const [call] = asking().tool_calls ?? [];
    for (let run = 0; run < 2; run++) {
      await graph.invoke({ messages: [new AIMessage({ content: "", tool_calls: call ? [call] : [] })] });
    }
    expect(posts(paths.image)).toBe(2);
  });

  it("is not paid again by a middleware that repeats tools", async () => {
    loseAnswers(paths.image);
    const agent = createAgent({
      model: new ChatModelGateway({ model: "local-chat", gateway }),
      tools: [draw()],
      middleware: [toolRetryMiddleware({ maxRetries: 2, initialDelayMs: 1 })],
    });
    await agent.invoke({ messages: [{ role: "user", content: "Generate an image of a red fox." }] });
    expect(posts(paths.image)).toBe(1);
  });

  it("is one call when a run makes it twice at once, and gives both its result", async () => {
    const call = toolCall("generate_image", { ...fox });
    const both = RunnableLambda.from(async (_input: string, config) => {
      const messages = await Promise.all([draw().invoke(call, config), draw().invoke(call, config)]);
      return messages.map(({ artifact }: ToolMessage) => artifact);
    });
    const [first, second] = await both.invoke("", { callbacks: [{}] });
    expect(first).toMatchObject({ type: "image" });
    expect(second).toEqual(first);
    expect(posts(paths.image)).toBe(1);
  });

  it("is another call with other arguments, whatever its id", async () => {
    const two = RunnableLambda.from(async (_input: string, config) => {
      for (const prompt of ["A red fox", "A grey wolf"])
        await draw().invoke(toolCall("generate_image", { prompt }), config);
    });
    await two.invoke("", { callbacks: [{}] });
    expect(posts(paths.image)).toBe(2);
  });

  it("gives the video of the first call to the second", async () => {
    const film = videoTool({ gateway, model: "local-video-2.0", intervalMs: 20, request: clip });
    const twice = RunnableLambda.from(async (_input: string, config) => {
      const call = toolCall("generate_video", { ...fox });
      return [await film.invoke(call, config), await film.invoke(call, config)] as ToolMessage[];
    });
    const [first, second] = await twice.invoke("", { callbacks: [{}] });
    expect(first?.artifact).toMatchObject({ type: "video" });
    expect(second?.artifact).toEqual(first?.artifact);
    expect(posts(paths.video)).toBe(1);
  });

  it("outside of any run is made as often as asked for, with the same objects too", async () => {
    const [args, call] = [{ ...fox }, toolCall("generate_image", { ...fox })];
    const image = draw();
    for (const input of [args, args, call, call]) await image.invoke(input);
    expect(posts(paths.image)).toBe(4);
  });
});

it("an edit whose answer was lost is paid once", async () => {
  loseAnswers("/images/edits");
  const pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
  const edit = imageEditTool({ gateway, model: "local-image-b64", request: { quality: "low" } }).withRetry(
    quick,
  );
  const images = [`data:image/png;base64,${pixel}`];
  await expect(edit.invoke({ prompt: "Make it blue", images })).rejects.toThrow("may have been");
  expect(posts("/images/edits")).toBe(1);
});
