import { readFileSync } from "node:fs";
import {
  generateImage,
  generateSpeech,
  generateText,
  experimental_generateVideo as generateVideo,
  NoImageGeneratedError,
  Output,
  experimental_startVideo as startVideo,
  streamText,
  tool,
} from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { COMPLETION, onScript, sendDeltas, sendJSON } from "../test/servers.js";

/**
 * What users report of providers for the SDK, and the tests that hold it off here. `own` are tests of this file.
 */
const COMPLAINTS: Record<string, Record<string, readonly string[]>> = {
  "usage is missing from streams": { "language-model": ["streams text with usage by default"] },
  "tool calls are lost or mixed up when routes leave out index, name or id": {
    "stream-grammar": ["of tool calls with %s follow the grammar"],
    own: ["tools run when later fragments repeat an empty name"],
  },
  "tools run with arguments that were cut off": {
    "language-model": ["never runs a tool whose arguments were cut off"],
    "stream-grammar": ["of a broken stream end with an error and hand out no tool call"],
  },
  "reasoning is not sent back inside a tool loop, or cannot be held back": {
    "language-model": ["sends reasoning back inside a tool loop, and not for finished turns"],
  },
  "image requests carry a response_format that the model refuses": {
    "image-model": ["take each of the three shapes"],
  },
  "images that come as links are not downloaded": {
    "image-model": ["make bytes of the asked size with every wire shape"],
  },
  "edits are always forms, and name a single image otherwise than several": {
    "image-model": ["take each of the three shapes", "send edits as a form with files and mask"],
    own: ["a single image of an edit goes under the same name as several"],
  },
  "masks are dropped without a word": {
    "image-model": ["warn of everything that is not sent, a mask above all"],
  },
  "empty or moderated images are billed again, and their reason is lost": {
    "image-model": ["that are empty are not billed again", "keep the text of a chat model that refuses"],
    own: ["the reason for a refused image is in the error"],
  },
  "images made through chat are no files of the answer": {
    files: [
      "reach the user of generateText and streamText",
      "are fetched with the key from the gateway's own host, and without where the model wrote the address",
    ],
  },
  "videos that need the key cannot be downloaded": {
    "video-model": [
      "fetch a result on the gateway's own host with the key, and leave foreign ones to the SDK",
    ],
  },
  "videos cannot be started in one process and read in another": {
    "video-model": ["can be started in one process and read in another"],
  },
  "a failing poll submits the video again": {
    "video-model": ["survive a failing poll without submitting again"],
    retries: ["never submit a video twice after an answer that leaves its outcome open"],
  },
  "polling goes on after an end that the provider does not know, or after an abort": {
    "video-model": ["end on %s instead of polling for ever"],
    own: ["polling a status that nobody knows ends at the time-out", "polling ends with the abort"],
  },
  "the gateway goes on, and bills, after an abort": {
    "language-model": ["closes the connection when it is aborted"],
    retries: ["pass an abort on as the caller's reason"],
    own: ["an abort closes the connection of a call that is not streamed"],
  },
  "errors inside a stream lose type and code": {
    "language-model": ["reports an error inside the stream with its type and code"],
  },
  "a stream without a finish reason ends as an error or as nothing": {
    own: ["a stream that ends without a finish reason keeps its text and is told to be interrupted"],
  },
  "provider options are lost because of a dot or a dash in the provider's name": {
    provider: ["names its models so that options and metadata find them"],
    "language-model": ["refuses unknown provider options before anything is sent"],
  },
  "embeddings are sent in batches that are too large, or come back in the wrong order": {
    "embedding-model": [
      "embed many values in calls of 64, in order, with usage",
      "put vectors in order by their index",
    ],
  },
  "raw audio is labelled as MP3": { own: ["raw audio is not labelled as MP3"] },
  "frames of a video are dropped without a word": { own: ["first and last frame are both sent"] },
  "the strictness of a JSON schema cannot be turned off": {
    own: ["the strictness of a JSON schema can be turned off"],
  },
  "image addresses with a query are downloaded instead of passed on": {
    "language-model": ["sends images as parts, remote ones by their URL and without downloading them"],
  },
  "exact pins of the SDK and of zod break installs": { own: ["no dependency is pinned to one version"] },
};

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PNG_BYTES = Uint8Array.from(Buffer.from(PNG, "base64"));

describe("known complaints", () => {
  it.each(Object.entries(COMPLAINTS))("%s: has its tests", (_complaint, tests) => {
    for (const [file, names] of Object.entries(tests)) {
      const name = file === "own" ? "known-complaints" : file;
      const source = readFileSync(new URL(`${name}.test.ts`, import.meta.url), "utf8");
      for (const title of names) {
        expect(source).toMatch(new RegExp(`\\bit(\\.each\\(.*\\))?\\(\\s*"${escapeRegExp(title)}"`, "s"));
      }
    }
  });

  it("tools run when later fragments repeat an empty name", async () => {
    const fragment = (name: string, args: string, id: string) => ({
      tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: args } }],
    });
    const { modelGateway } = await onScript((response) =>
      sendDeltas(
        response,
        [fragment("add", "", "1"), fragment("", '{"a":1,', ""), fragment("", '"b":2}', "")],
        "stop",
      ),
    );
    const add = tool({
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      execute: async ({ a, b }) => a + b,
    });
    const result = streamText({ model: modelGateway("m"), prompt: "add", tools: { add } });
    expect((await result.toolResults).map(({ output }) => output)).toEqual([3]);
  });

  it("a single image of an edit goes under the same name as several", async () => {
    const { modelGateway, requests } = await onScript((response) =>
      sendJSON(response, { data: [{ b64_json: PNG }] }),
    );
    await generateImage({ model: modelGateway.image("m"), prompt: { text: "x", images: [PNG_BYTES] } });
    expect(requests[0]?.text).toContain('name="image[]"');
    expect(requests[0]?.text).not.toContain('name="image"');
  });

  it("the reason for a refused image is in the error", async () => {
    const { modelGateway, requests } = await onScript((response) =>
      sendJSON(response, { data: [{ error: { code: "moderation", message: "Not this prompt." } }] }),
    );
    const error = await generateImage({ model: modelGateway.image("m"), prompt: "x" }).catch(
      (thrown: unknown) => thrown,
    );
    expect(NoImageGeneratedError.isInstance(error)).toBe(true);
    expect(JSON.stringify((error as NoImageGeneratedError).calls)).toContain("Not this prompt.");
    expect(requests).toHaveLength(1);
  });

  it("polling a status that nobody knows ends at the time-out", async () => {
    const { modelGateway, requests } = await onScript((response, count) =>
      sendJSON(response, count === 1 ? { id: "t" } : { status: "contemplating" }),
    );
    const poll = { intervalMs: 1, timeoutMs: 50 };
    await expect(generateVideo({ model: modelGateway.video("m"), prompt: "x", poll })).rejects.toThrow(
      /timed out/i,
    );
    expect(requests.filter(({ path }) => path === "/v1/videos")).toHaveLength(1);
  });

  it("polling ends with the abort", async () => {
    const controller = new AbortController();
    const reason = new DOMException("user left", "AbortError");
    const { modelGateway, requests } = await onScript((response, count) => {
      sendJSON(response, count === 1 ? { id: "t" } : { status: "running" });
      if (count === 3) setImmediate(() => controller.abort(reason));
    });
    const call = generateVideo({
      model: modelGateway.video("m"),
      prompt: "x",
      poll: { intervalMs: 20 },
      abortSignal: controller.signal,
    });
    await expect(call).rejects.toBe(reason);
    expect(requests).toHaveLength(3);
  });

  it("an abort closes the connection of a call that is not streamed", async () => {
    const controller = new AbortController();
    let closed: Promise<unknown> = Promise.resolve();
    const { modelGateway } = await onScript((response) => {
      closed = new Promise((resolve) => response.once("close", resolve));
      controller.abort();
    });
    await expect(
      generateText({ model: modelGateway("m"), prompt: "x", abortSignal: controller.signal }),
    ).rejects.toThrow();
    await closed;
  });

  it("a stream that ends without a finish reason keeps its text and is told to be interrupted", async () => {
    const { modelGateway } = await onScript((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const chunk = { id: "1", choices: [{ index: 0, delta: { content: "All of it." } }] };
      response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
    });
    const errors: unknown[] = [];
    const onError = ({ error }: { error: unknown }) => void errors.push(error);
    const result = streamText({ model: modelGateway("m"), prompt: "x", onError });
    expect(await result.text).toBe("All of it.");
    expect(await result.finishReason).toBe("interrupted");
    expect(errors).toMatchObject([{ type: "stream_interrupted" }]);
    const lenient = modelGateway("m", { requireFinishReason: false });
    const accepted = streamText({ model: lenient, prompt: "x", onError });
    expect(await accepted.text).toBe("All of it.");
    expect(await accepted.finishReason).toBe("stop");
    expect(errors).toHaveLength(1);
  });

  it("raw audio is not labelled as MP3", async () => {
    const { modelGateway } = await onScript((response) =>
      response.writeHead(200, { "content-type": "audio/pcm" }).end(Uint8Array.of(0, 1, 2, 3)),
    );
    const { audio } = await generateSpeech({
      model: modelGateway.speech("m"),
      text: "x",
      outputFormat: "pcm",
    });
    expect(audio.mediaType).toBe("audio/pcm");
  });

  it("first and last frame are both sent", async () => {
    const { modelGateway, requests } = await onScript((response) => sendJSON(response, { id: "t" }));
    const { warnings } = await startVideo({
      model: modelGateway.video("m"),
      prompt: "x",
      frameImages: [
        { image: "https://files.example/1.png", frameType: "first_frame" },
        { image: "https://files.example/2.png", frameType: "last_frame" },
      ],
    });
    expect(warnings).toEqual([]);
    expect(requests[0]?.json["content"]).toEqual([
      { type: "text", text: "x" },
      { type: "image_url", image_url: { url: "https://files.example/1.png" }, role: "first_frame" },
      { type: "image_url", image_url: { url: "https://files.example/2.png" }, role: "last_frame" },
    ]);
  });

  it("further files of a video and its whole task are kept", async () => {
    const task = {
      id: "t",
      status: "succeeded",
      content: { video_url: "https://files.example/v.mp4", last_frame_url: "https://files.example/last.png" },
      novelty: 7,
    };
    const { modelGateway } = await onScript((response) => sendJSON(response, task));
    const model = modelGateway.video("m");
    const { operation } = await startVideo({ model, prompt: "x" });
    const status = await model.doStatus?.({ operation });
    expect(status?.providerMetadata?.["modelGateway"]).toMatchObject({
      taskId: "t",
      lastFrameURL: "https://files.example/last.png",
      raw: { novelty: 7 },
    });
  });

  it("the strictness of a JSON schema can be turned off", async () => {
    const answer = {
      ...COMPLETION,
      choices: [{ index: 0, message: { role: "assistant", content: '{"a":1}' }, finish_reason: "stop" }],
    };
    const { modelGateway, requests } = await onScript((response) => sendJSON(response, answer));
    const output = Output.object({ schema: z.object({ a: z.number() }) });
    await generateText({ model: modelGateway("m"), prompt: "x", output });
    const providerOptions = { modelGateway: { strictJsonSchema: false } };
    await generateText({ model: modelGateway("m"), prompt: "x", output, providerOptions });
    expect(requests.map(({ json }) => json["response_format"])).toMatchObject([
      { type: "json_schema", json_schema: { strict: true } },
      { type: "json_schema", json_schema: { strict: false } },
    ]);
  });

  it("no dependency is pinned to one version", () => {
    const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    const ranges = { ...manifest.dependencies, ...manifest.peerDependencies } as Record<string, string>;
    expect(Object.values(ranges).filter((range) => !/^(\^|workspace:\^)/.test(range))).toEqual([]);
    expect(ranges["zod"]).toContain("||");
  });
});
