import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { ToolMessage } from "@langchain/core/messages";
import type { ModelGateway } from "@model-gateway/core";
import type { Emulator } from "@model-gateway/emulator";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startToolEmulator, stored, toolCall } from "../../test/tool-emulator.js";
import { ModelGatewayToolError, type VideoArtifact, type VideoProgress, videoTool } from "../tools.js";

let emulator: Emulator;
let gateway: ModelGateway;
beforeAll(async () => {
  ({ emulator, gateway } = await startToolEmulator());
});
beforeEach(() => emulator.journal.clear());
afterAll(() => emulator.close());

class Progress extends BaseCallbackHandler {
  name = "progress";
  readonly seen: VideoProgress[] = [];

  override handleToolEvent(event: unknown): void {
    this.seen.push(event as VideoProgress);
  }
}

const fox = toolCall("generate_video", { prompt: "A red fox in the snow" });
const artifactOf = (message: ToolMessage) => message.artifact as VideoArtifact;

describe("generate_video", () => {
  it("tells its progress and ends with the video", async () => {
    const tool = videoTool({
      gateway,
      model: "local-video-2.0",
      request: { duration: 5, resolution: "480p", return_last_frame: true },
      intervalMs: 5,
    });
    const progress = new Progress();
    const message = await tool.invoke(fox, { callbacks: [progress] });
    const { handle, videos, lastFrameURL, ...artifact } = artifactOf(message);
    expect(artifact).toMatchObject({ type: "video", model: "local-video-2.0" });
    expect(message.text).toBe(`The video was generated: ${videos[0]?.url}`);
    expect(lastFrameURL).toMatch(/^http/);
    expect(progress.seen.map((event) => event.handle.id)).toEqual(progress.seen.map(() => handle.id));
    expect(progress.seen[0]).toEqual({ type: "video_progress", handle, status: "queued" });
    expect(progress.seen.at(-1)).toMatchObject({ status: "succeeded" });
    const steps = progress.seen.map(({ status, progress: percent }) => `${status} ${percent}`);
    expect(new Set(steps).size).toBe(steps.length);
    expect(stored(message.artifact)).toEqual(message.artifact);
    expect((await gateway.videos.retrieve(handle)).status).toBe("succeeded");
  });

  it("begins with a given picture", async () => {
    const image = "https://files.example/fox.png";
    const tool = videoTool({ gateway, model: "local-video-2.0", durations: [4, 5], intervalMs: 5 });
    await tool.invoke(toolCall("generate_video", { ...fox.args, image, duration: 4 }));
    expect(emulator.journal.list({ path: "/videos" })[0]?.body).toEqual({
      model: "local-video-2.0",
      duration: 4,
      content: [
        { type: "text", text: "A red fox in the snow" },
        { type: "image_url", image_url: { url: image }, role: "first_frame" },
      ],
    });
  });

  it("turns a picture into a video", async () => {
    const tool = videoTool({
      gateway,
      model: "local-image2video",
      family: "image2video",
      request: { mode: "std" },
      intervalMs: 5,
    });
    const image = "https://files.example/fox.png";
    const message = await tool.invoke(toolCall("generate_video", { ...fox.args, image }));
    expect(artifactOf(message).handle.family).toBe("image2video");
    expect(emulator.journal.list({ path: "/videos/image2video" })[0]?.body).toEqual({
      model_name: "local-image2video",
      prompt: "A red fox in the snow",
      image,
      mode: "std",
    });
    await expect(tool.invoke(fox)).rejects.toThrow("expected schema");
  });

  it("makes omni videos", async () => {
    const tool = videoTool({ gateway, model: "local-omni-video", family: "omni-video", intervalMs: 5 });
    const message = await tool.invoke(fox);
    expect(artifactOf(message).handle.family).toBe("omni-video");
    expect(artifactOf(message).videos).toHaveLength(1);
  });

  it("tells the model why a task failed", async () => {
    const tool = videoTool({ gateway, model: "local-video-2.0", intervalMs: 5 });
    const message = await tool.invoke(toolCall("generate_video", { prompt: "A fox [[fail]]" }));
    expect(message.status).toBe("error");
    expect(message.text).toMatch(
      /^Video task \S+ ended as failed: .* It may have been billed\. Another prompt may help/,
    );
    expect(message.artifact).toMatchObject({ type: "error", kind: "video_task_failed", maybeBilled: true });
  });

  it("leaves the handle of a task that takes too long", async () => {
    const tool = videoTool({ gateway, model: "local-video-2.0", intervalMs: 5, timeoutMs: 50 });
    const message = await tool.invoke(toolCall("generate_video", { prompt: "A fox [[stuck]]" }));
    expect(message.text).toContain("do not create it again");
    const { handle, kind } = message.artifact as { handle: VideoArtifact["handle"]; kind: string };
    expect(kind).toBe("video_task_timeout");
    emulator.videos.succeed(handle.id);
    expect((await gateway.videos.wait(handle, { intervalMs: 5 })).videos).toHaveLength(1);
  });

  it("ends at once when the run is aborted", async () => {
    const run = new AbortController();
    const tool = videoTool({ gateway, model: "local-video-2.0", intervalMs: 5 });
    const created = new (class extends BaseCallbackHandler {
      name = "abort";
      override handleToolEvent(): void {
        run.abort();
      }
    })();
    const work = tool.invoke(toolCall("generate_video", { prompt: "A fox [[stuck]]" }), {
      signal: run.signal,
      callbacks: [created],
    });
    await expect(work).rejects.toMatchObject({ name: "AbortError" });
    expect(emulator.journal.list({ path: "/videos" })).toHaveLength(1);
  });

  it("throws when there is no tool call to answer", async () => {
    const tool = videoTool({ gateway, model: "no-such-model" });
    await expect(tool.invoke({ prompt: "A fox" })).rejects.toBeInstanceOf(ModelGatewayToolError);
  });
});
