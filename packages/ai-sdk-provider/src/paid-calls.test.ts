import type { ServerResponse } from "node:http";
import type { ImageModelV4CallOptions } from "@ai-sdk/provider";
import {
  generateImage,
  generateSpeech,
  generateText,
  experimental_generateVideo as generateVideo,
  type ImageModelMiddleware,
  isStepCount,
  type ModelMessage,
  experimental_startVideo as startVideo,
  tool,
  wrapImageModel,
} from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { COMPLETION, onScript, sendJSON } from "../test/servers.js";
import { oncePerToolCall } from "./index.js";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const made = (response: ServerResponse) => sendJSON(response, { data: [{ b64_json: PNG }] });
const busy = (response: ServerResponse) =>
  sendJSON(response, { error: { message: "busy" } }, 429, { "retry-after-ms": "1" });
const broken = (response: ServerResponse) => sendJSON(response, { error: { message: "upstream" } }, 502);

const CALL: ImageModelV4CallOptions = {
  prompt: "x",
  n: 1,
  size: undefined,
  aspectRatio: undefined,
  seed: undefined,
  files: undefined,
  mask: undefined,
  providerOptions: {},
};

/** Middleware that asks again whatever happened, as retrying middleware does. */
const insistent: ImageModelMiddleware = {
  async wrapGenerate({ doGenerate }) {
    try {
      await doGenerate();
    } catch {
      // Asked again below.
    }
    return doGenerate();
  },
};

describe("a paid call that is repeated with the same options object", () => {
  it("is answered with the first result, and paid once", async () => {
    const { modelGateway, requests } = await onScript(made);
    const model = wrapImageModel({ model: modelGateway.image("m"), middleware: insistent });
    const { images } = await generateImage({ model, prompt: "x" });
    expect(images).toHaveLength(1);
    expect(requests).toHaveLength(1);
  });

  it("is refused with the first error where that may have been paid", async () => {
    const { modelGateway, requests } = await onScript(broken);
    const model = wrapImageModel({ model: modelGateway.image("m"), middleware: insistent });
    await expect(generateImage({ model, prompt: "x" })).rejects.toThrow(/outcome is unknown/);
    expect(requests).toHaveLength(1);
  });

  it("is made again after an error that says that nothing was paid", async () => {
    const { modelGateway, requests } = await onScript((response, count) =>
      count === 1 ? busy(response) : made(response),
    );
    const model = wrapImageModel({ model: modelGateway.image("m"), middleware: insistent });
    expect((await generateImage({ model, prompt: "x", maxRetries: 0 })).images).toHaveLength(1);
    expect(requests).toHaveLength(2);
  });

  it("is made again where that is asked for", async () => {
    const { modelGateway, requests } = await onScript(made, { retryBillable: true });
    const model = modelGateway.image("m");
    await model.doGenerate(CALL);
    await model.doGenerate(CALL);
    expect(requests).toHaveLength(2);
  });

  it("of another options object, and of another model, is a call of its own", async () => {
    const { modelGateway, requests } = await onScript(made);
    const model = modelGateway.image("m");
    await model.doGenerate(CALL);
    await model.doGenerate({ ...CALL });
    await modelGateway.image("m").doGenerate(CALL);
    expect(requests).toHaveLength(3);
  });

  it("asks for the bytes of an image anew when only these could not be fetched", async () => {
    const { modelGateway, requests } = await onScript((response, count, { path }) => {
      if (path.startsWith("/v1")) return sendJSON(response, { data: [{ url: "/1.png" }] });
      return count === 2
        ? response.writeHead(404).end()
        : response.writeHead(200, { "content-type": "image/png" }).end(Buffer.from(PNG, "base64"));
    });
    const model = modelGateway.image("m");
    await expect(model.doGenerate(CALL)).rejects.toMatchObject({
      message: expect.stringContaining("could not be downloaded"),
      maybeProcessed: true,
    });
    expect((await model.doGenerate(CALL)).images).toHaveLength(1);
    expect(requests.filter(({ path }) => path.startsWith("/v1"))).toHaveLength(1);
  });

  it("is held for speech and videos as well", async () => {
    const { modelGateway, requests } = await onScript((response, _count, { path }) =>
      path.endsWith("speech")
        ? response.writeHead(200, { "content-type": "audio/wav" }).end(Uint8Array.of(1))
        : sendJSON(response, { id: "t" }),
    );
    const speech = modelGateway.speech("m");
    const spoken = { text: "x", providerOptions: {} };
    expect(await speech.doGenerate(spoken)).toBe(await speech.doGenerate(spoken));
    const video = modelGateway.video("m");
    const { n, prompt } = CALL;
    const filmed = {
      ...{ n, prompt, aspectRatio: undefined, resolution: undefined, duration: undefined, fps: undefined },
      ...{ seed: undefined, image: undefined, frameImages: undefined, inputReferences: undefined },
      ...{ generateAudio: undefined, providerOptions: {} },
    };
    expect(await video.doStart?.(filmed)).toBe(await video.doStart?.(filmed));
    expect(requests).toHaveLength(2);
  });
});

describe("the SDK's own retries", () => {
  it.each(["image", "speech", "video"] as const)("of a paid %s end with an unknown outcome", async (kind) => {
    const { modelGateway, requests } = await onScript((response, count) =>
      count === 1 ? busy(response) : broken(response),
    );
    const maxRetries = 5;
    const call = {
      image: () => generateImage({ model: modelGateway.image("m"), prompt: "x", maxRetries }),
      speech: () => generateSpeech({ model: modelGateway.speech("m"), text: "x", maxRetries }),
      video: () => startVideo({ model: modelGateway.video("m"), prompt: "x", maxRetries }),
    }[kind];
    await expect(call()).rejects.toThrow(/outcome is unknown/);
    expect(requests).toHaveLength(2);
  });
});

describe("repetition that was asked for", () => {
  it("treats a paid call whose outcome is unknown like any other", async () => {
    const headers = { "retry-after-ms": "1" };
    const { modelGateway, requests } = await onScript(
      (response) => sendJSON(response, { error: { message: "upstream" } }, 502, headers),
      { retryBillable: true },
    );
    await expect(
      generateImage({ model: modelGateway.image("m"), prompt: "x", maxRetries: 2 }),
    ).rejects.toThrow();
    expect(requests).toHaveLength(3);
  });
});

describe("a tool that pays", () => {
  const approved: ModelMessage[] = [
    { role: "user", content: "Draw a fox." },
    {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: "c1", toolName: "draw", input: { prompt: "fox" } },
        { type: "tool-approval-request", approvalId: "a1", toolCallId: "c1" },
      ],
    },
    { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a1", approved: true }] },
  ];

  async function drawing(answer: (response: ServerResponse, count: number) => void) {
    let images = 0;
    const { modelGateway } = await onScript((response, _count, { path }) =>
      path.endsWith("generations") ? answer(response, ++images) : sendJSON(response, COMPLETION),
    );
    const draw = tool({
      inputSchema: z.object({ prompt: z.string() }),
      execute: oncePerToolCall(async ({ prompt }: { prompt: string }) => {
        const { image } = await generateImage({ model: modelGateway.image("m"), prompt, maxRetries: 0 });
        return { length: image.uint8Array.length };
      }),
      needsApproval: true,
    });
    const run = () =>
      generateText({
        model: modelGateway("m"),
        messages: approved,
        tools: { draw },
        stopWhen: isStepCount(1),
      });
    return { run, images: () => images };
  }

  it("runs once when the same approved call comes twice, also at the same time", async () => {
    const { run, images } = await drawing(made);
    await run();
    await Promise.all([run(), run()]);
    expect(images()).toBe(1);
  });

  it("does not run again where the first run may have been paid, and does where it was not", async () => {
    const unknown = await drawing(broken);
    await unknown.run();
    await unknown.run();
    expect(unknown.images()).toBe(1);
    const refused = await drawing((response, count) => (count === 1 ? busy(response) : made(response)));
    await refused.run();
    await refused.run();
    await refused.run();
    expect(refused.images()).toBe(2);
  });

  it("does not run again when a picture was made and could not be fetched", async () => {
    let images = 0;
    const { modelGateway } = await onScript((response, _count, { path }) => {
      if (!path.startsWith("/v1")) return response.destroy();
      images += 1;
      return sendJSON(response, { data: [{ url: "/1.png" }] });
    });
    const draw = oncePerToolCall((prompt: string) =>
      generateImage({ model: modelGateway.image("m"), prompt, maxRetries: 0 }),
    );
    const call = { toolCallId: "c1", messages: [], context: undefined };
    await expect(draw("fox", call)).rejects.toThrow(/could not be downloaded/);
    await expect(draw("fox", call)).rejects.toThrow(/could not be downloaded/);
    expect(images).toBe(1);
  });

  it("does not run again when a film was ordered and its polls failed", async () => {
    let films = 0;
    const { modelGateway } = await onScript((response, _count, { path }) => {
      if (!path.endsWith("/videos")) return busy(response);
      films += 1;
      return sendJSON(response, { id: "t" });
    });
    const shoot = oncePerToolCall((prompt: string) =>
      generateVideo({
        ...{ model: modelGateway.video("m"), prompt, duration: 5, maxRetries: 0 },
        poll: { intervalMs: 1 },
      }),
    );
    const call = { toolCallId: "c1", messages: [], context: undefined };
    await expect(shoot("fox", call)).rejects.toThrow(/busy/);
    await expect(shoot("fox", call)).rejects.toThrow(/busy/);
    expect(films).toBe(1);
  });

  it("runs for every new call, and forgets the oldest", async () => {
    const ran: string[] = [];
    const execute = oncePerToolCall(
      async (input: string) => {
        ran.push(input);
        return ran.length;
      },
      { keep: 2 },
    );
    const call = (toolCallId: string) =>
      execute(toolCallId, { toolCallId, messages: [], context: undefined });
    expect([await call("a"), await call("b"), await call("a")]).toEqual([1, 2, 1]);
    await call("c");
    await call("b");
    await call("a");
    expect(ran).toEqual(["a", "b", "c", "a"]);
  });
});
