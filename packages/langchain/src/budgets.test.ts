import { ModelGateway } from "@model-gateway/core";
import { createBudget } from "@model-gateway/core/budget";
import { priceBook } from "@model-gateway/core/prices";
import { createEmulator } from "@model-gateway/emulator";
import { expect, it, onTestFinished } from "vitest";
import { toolCall } from "../test/tool-emulator.js";
import { ChatModelGateway } from "./chat-model.js";
import { ModelGatewayEmbeddings } from "./embeddings.js";
import { ModelGatewayToolkit } from "./tools/model-gateway-toolkit.js";

/** A cent for each request, whatever it is. */
const request = { request: 0.01 };
const prices = priceBook({
  models: {
    ...{ "local-chat": request, "local-embedding": request, "local-image": request, "local-speech": request },
    ...{ "local-image-b64": request, "local-video-2.0": request },
  },
});

async function start() {
  const emulator = await createEmulator({ seed: 1, videoTimings: { queuedMs: 0, runningMs: 20 } }).listen({
    port: 0,
  });
  onTestFinished(() => emulator.close());
  const budget = createBudget({ limit: 0.01, currency: "USD", window: "day", per: "tag" });
  const connection = { apiKey: "sk-emulator", baseURL: emulator.url, prices, budget };
  return { emulator, budget, connection };
}

it("counts each call of models for its tag, and sends none that does not fit, nor tries again", async () => {
  const { emulator, budget, connection } = await start();
  const model = new ChatModelGateway("local-chat", { ...connection, budgetTag: "model" });
  const embeddings = new ModelGatewayEmbeddings("local-embedding", { ...connection, budgetTag: "vectors" });
  const calls: Record<string, () => Promise<unknown>> = {
    model: () => model.invoke("Hello"),
    call: () => model.invoke("Hello", { budgetTag: "call" }),
    bound: () => model.withConfig({ budgetTag: "bound" }).invoke("Hello"),
    stream: async () => {
      for await (const _ of await model.stream("Hello", { budgetTag: "stream" }));
    },
    retried: () => model.withRetry({ stopAfterAttempt: 3 }).invoke("Hello", { budgetTag: "retried" }),
    vectors: () => embeddings.embedDocuments(["a", "b"]),
    vector: () => embeddings.embedQuery("a", { budgetTag: "vector" }),
  };
  for (const [tag, call] of Object.entries(calls)) {
    const before = emulator.ledger.total().calls;
    await call();
    expect(await budget.usage(tag), tag).toMatchObject({ spent: 0.01, reserved: 0 });
    const error = await call().then(
      () => undefined,
      (refused: unknown) => refused,
    );
    expect(error, tag).toMatchObject({ kind: "budget_exceeded", retryable: false });
    expect(emulator.ledger.total().calls, tag).toBe(before + 1);
  }
  expect(await budget.open()).toEqual([]);
});

it("counts what tools pay for their tag, and tells the model that it did not fit", async () => {
  const { emulator, budget, connection } = await start();
  const pixel =
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";
  const toolkit = new ModelGatewayToolkit({
    gateway: new ModelGateway(connection),
    models: {
      image: { model: "local-image", budgetTag: "image" },
      imageEdit: { model: "local-image-b64", shape: "base64", budgetTag: "edit" },
      speech: { model: "local-speech", request: { voice: "alloy" }, budgetTag: "speech" },
      video: "local-video-2.0",
    },
    budgetTag: "video",
    intervalMs: 20,
  });
  const inputs: Record<string, [string, Record<string, unknown>]> = {
    image: ["generate_image", { prompt: "A fox" }],
    edit: ["edit_image", { prompt: "A fox", images: [pixel] }],
    speech: ["synthesize_speech", { text: "Hello" }],
    video: ["generate_video", { prompt: "A fox" }],
  };
  for (const [tag, [name, input]] of Object.entries(inputs)) {
    const tool = toolkit.tools.find((each) => each.name === name);
    const before = emulator.ledger.total().calls;
    await tool?.invoke(toolCall(name, input));
    expect(await budget.usage(tag), tag).toMatchObject({ spent: 0.01, reserved: 0 });
    const told = (await tool?.invoke({ ...toolCall(name, { ...input }), id: "call-2" })) as {
      status?: string;
      content: string;
    };
    expect(told, tag).toMatchObject({ status: "error" });
    expect(told.content).toMatch(/was not sent: it can cost up to 0.01 USD/);
    expect(emulator.ledger.total().calls, tag).toBe(before + 1);
  }
});
