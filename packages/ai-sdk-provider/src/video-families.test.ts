import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { experimental_generateVideo as generateVideo, experimental_startVideo as startVideo } from "ai";
import { describe, expect, it, onTestFinished } from "vitest";
import { onEmulator, onScript, sendJSON } from "../test/servers.js";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const FRAME = "https://files.example/first.png";

describe("video models of the wrapped families", () => {
  it("animate an image and make omni videos on the emulator", async () => {
    const { modelGateway, emulator } = await onEmulator();
    const advancing = setInterval(() => void emulator.clock.advance(1_000), 5);
    onTestFinished(() => clearInterval(advancing));
    for (const [model, family] of [
      ["local-image2video", "image2video"],
      ["local-omni-video", "omni-video"],
    ] as const) {
      const { videos, providerMetadata } = await generateVideo({
        model: modelGateway.video(model, { family }),
        prompt: { text: "The fox runs", image: `data:image/png;base64,${PNG}` },
        duration: 5,
        poll: { intervalMs: 5 },
      });
      expect(new TextDecoder().decode(videos[0]?.uint8Array.subarray(4, 8))).toBe("ftyp");
      expect(providerMetadata["modelGateway"]).toMatchObject({ family, rawStatus: "succeed" });
    }
  });

  it("put every option in its place, and the idempotency key into external_task_id", async () => {
    const { modelGateway, requests } = await onScript((response) =>
      sendJSON(response, { code: 0, data: { task_id: "t" } }),
    );
    const image2video = await startVideo({
      model: modelGateway.video("m", { family: "image2video" }),
      prompt: { text: "go", image: `data:image/png;base64,${PNG}` },
      duration: 5,
      generateAudio: true,
      seed: 3,
      aspectRatio: "16:9",
      providerOptions: {
        modelGateway: { mode: "pro", negativePrompt: "rain", cfgScale: 0.5, lastFrame: FRAME },
      },
    });
    expect(requests[0]?.path).toBe("/v1/videos/image2video");
    expect(requests[0]?.json).toEqual({
      model_name: "m",
      prompt: "go",
      image: PNG,
      duration: "5",
      sound: "on",
      mode: "pro",
      negative_prompt: "rain",
      cfg_scale: 0.5,
      external_task_id: requests[0]?.headers["idempotency-key"],
    });
    expect(image2video.warnings.map((warning) => ("feature" in warning ? warning.feature : ""))).toEqual([
      "lastFrame",
      "aspectRatio",
      "seed",
    ]);

    await startVideo({
      model: modelGateway.video("m"),
      prompt: { text: "<<<image_1>>> runs", image: FRAME },
      aspectRatio: "9:16",
      providerOptions: {
        modelGateway: {
          family: "omni-video",
          referenceVideos: ["https://files.example/v.mp4"],
          referenceImages: ["https://files.example/r.png"],
          externalTaskId: "order-7",
        },
      },
    });
    expect(requests[1]?.path).toBe("/v1/videos/omni-video");
    expect(requests[1]?.json).toEqual({
      model_name: "m",
      prompt: "<<<image_1>>> runs",
      image_list: [{ image_url: FRAME }, { image_url: "https://files.example/r.png" }],
      video_list: [{ video_url: "https://files.example/v.mp4" }],
      aspect_ratio: "9:16",
      external_task_id: "order-7",
    });
  });

  it("refuse image to video without an image, unsent", async () => {
    const { modelGateway, requests } = await onScript((response) => sendJSON(response, {}));
    const call = startVideo({ model: modelGateway.video("m", { family: "image2video" }), prompt: "go" });
    await expect(call).rejects.toThrow(/image is required/);
    expect(requests).toHaveLength(0);
  });
});

describe("callbacks", () => {
  it("that only say that the task runs do not end the generation", async () => {
    const { modelGateway, emulator } = await onEmulator();
    let notify: (body: { headers: Record<string, string>; body: never }) => void = () => {};
    const received = new Promise<{ headers: Record<string, string>; body: never }>((resolve) => {
      notify = resolve;
    });
    const statuses: string[] = [];
    const hook = createServer((request, response) => {
      let text = "";
      request.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      request.on("end", () => {
        const body = JSON.parse(text);
        statuses.push(body.status);
        notify({ headers: {}, body: body as never });
        response.end();
        // The rest of the task only happens after its first notification.
        void emulator.clock.advance(600_000);
      });
    });
    await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void hook.close());
    const { port } = hook.address() as AddressInfo;
    const generating = generateVideo({
      model: modelGateway.video("local-video-2.0"),
      prompt: "A fox",
      duration: 4,
      webhook: async () => ({ url: `http://127.0.0.1:${port}/hook`, received }),
    });
    const started = setInterval(
      () => emulator.videos.list().length > 0 && void emulator.clock.advance(600),
      5,
    );
    const { videos, warnings } = await generating.finally(() => clearInterval(started));
    expect(statuses[0]).toBe("running");
    expect(warnings).toEqual([]);
    expect(videos).toHaveLength(1);
  });
});
