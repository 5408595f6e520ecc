import { HumanMessage, type ToolMessage } from "@langchain/core/messages";
import type { ModelGateway } from "@model-gateway/core";
import type { Emulator } from "@model-gateway/emulator";
import { createAgent } from "langchain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startToolEmulator } from "../../test/tool-emulator.js";
import { ChatModelGateway } from "../index.js";
import { type ImageArtifact, ModelGatewayToolkit, type VideoArtifact } from "../tools.js";

let emulator: Emulator;
let gateway: ModelGateway;
beforeAll(async () => {
  ({ emulator, gateway } = await startToolEmulator());
});
afterAll(() => emulator.close());

const models = {
  image: "local-image",
  imageEdit: { model: "local-chat-image", shape: "chat" },
  speech: { model: "local-speech", request: { format: "wav" } },
  video: "local-video-2.0",
} as const;

describe("the toolkit", () => {
  it("has the tools whose models are named", () => {
    const names = (toolkit: ModelGatewayToolkit) => toolkit.getTools().map(({ name }) => name);
    expect(names(new ModelGatewayToolkit({ gateway, models }))).toEqual([
      "generate_image",
      "edit_image",
      "synthesize_speech",
      "generate_video",
    ]);
    expect(names(new ModelGatewayToolkit({ gateway, models: { speech: "local-speech" } }))).toEqual([
      "synthesize_speech",
    ]);
  });

  it("gives an agent pictures", async () => {
    const { tools } = new ModelGatewayToolkit({ gateway, models: { image: "local-image" } });
    const agent = createAgent({ model: new ChatModelGateway({ model: "local-chat", gateway }), tools });
    const { messages } = await agent.invoke({
      messages: [new HumanMessage("Generate an image of a red fox.")],
    });
    const [answer] = messages.filter(({ type }) => type === "tool") as ToolMessage[];
    expect(answer?.status).toBe("success");
    const [image] = (answer?.artifact as ImageArtifact | undefined)?.images ?? [];
    expect((await gateway.download({ url: image?.url ?? "" })).contentType).toMatch(/^image\//);
  });

  it("streams the progress of a video out of an agent", async () => {
    const { tools } = new ModelGatewayToolkit({
      gateway,
      models: { video: "local-video-2.0" },
      intervalMs: 5,
    });
    const agent = createAgent({ model: new ChatModelGateway({ model: "local-chat", gateway }), tools });
    const input = { messages: [new HumanMessage("Generate a video of a red fox.")] };
    const events: Array<{ event: string; data?: unknown }> = [];
    let artifact: VideoArtifact | undefined;
    for await (const [mode, chunk] of await agent.stream(input, { streamMode: ["tools", "values"] })) {
      if (mode === "tools") events.push(chunk as { event: string; data?: unknown });
      else {
        const last = (chunk as { messages: ToolMessage[] }).messages.at(-1);
        if (last?.type === "tool") artifact = last.artifact as VideoArtifact;
      }
    }
    const progress = events.filter(({ event }) => event === "on_tool_event").map(({ data }) => data);
    expect(progress.length).toBeGreaterThan(1);
    expect(progress[0]).toMatchObject({ type: "video_progress", handle: artifact?.handle });
    expect(artifact?.videos).toHaveLength(1);
  });

  it("lets an agent go on after a failure", async () => {
    const { tools } = new ModelGatewayToolkit({ gateway, models: { image: "no-such-model" } });
    const agent = createAgent({ model: new ChatModelGateway({ model: "local-chat", gateway }), tools });
    const { messages } = await agent.invoke({
      messages: [new HumanMessage("Generate an image of a red fox.")],
    });
    expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai"]);
    expect((messages[2] as ToolMessage).status).toBe("error");
  });
});
