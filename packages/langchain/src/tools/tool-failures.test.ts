import type { ToolMessage } from "@langchain/core/messages";
import { ModelGateway, NotFoundError } from "@model-gateway/core";
import type { Emulator } from "@model-gateway/emulator";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { completion, type ScriptedGateway, startScriptedGateway } from "../../test/scripted-gateway.js";
import { startToolEmulator, stored, toolCall } from "../../test/tool-emulator.js";
import { imageGenerationTool, ModelGatewayToolError } from "../tools.js";

let emulator: Emulator;
let gateway: ModelGateway;
let scripted: ScriptedGateway;
beforeAll(async () => {
  ({ emulator, gateway } = await startToolEmulator());
  scripted = await startScriptedGateway();
});
beforeEach(() => emulator.journal.clear());
afterEach(() => emulator.faults.clear());
afterAll(async () => {
  await emulator.close();
  await scripted.close();
});

/** New arguments each time: those of a call in doubt are refused. */
const fox = () => toolCall("generate_image", { prompt: "A red fox" });
const draw = (model = "local-image"): Promise<ToolMessage> =>
  imageGenerationTool({ gateway, model }).invoke(fox());

describe("a failed tool call", () => {
  it("says that nothing was billed, and who can help, when the model is not there", async () => {
    const message = await draw("no-such-model");
    expect(message).toMatchObject({ status: "error", tool_call_id: "call-1", name: "generate_image" });
    expect(message.text).toMatch(/no-such-model.* Nothing was made or billed\. Calling again will not help/);
    expect(message.artifact).toMatchObject({
      type: "error",
      kind: "not_found",
      maybeBilled: false,
      retryable: false,
    });
    expect(stored(message.artifact)).toEqual(message.artifact);
  });

  it("asks for other arguments when those were refused", async () => {
    const { text } = await draw().then(() =>
      imageGenerationTool({ gateway, model: "local-image-b64", request: { size: "1x1" } }).invoke(fox()),
    );
    expect(text).toMatch(/size.* Nothing was made or billed\. Change the arguments/);
  });

  it("asks for patience when there are too many calls", async () => {
    emulator.faults.add({ kind: "status", status: 429, times: 1 });
    const message = await draw();
    expect(message.text).toMatch(/Nothing was made or billed\. Trying again later may help\.$/);
    expect(message.artifact).toMatchObject({ kind: "rate_limit", retryable: true });
  });

  it("warns of paying twice when the answer was lost", async () => {
    emulator.faults.add({ kind: "drop-after", path: "/images/generations", times: 1 });
    const message = await draw();
    expect(message.text).toMatch(
      /may have been carried out and billed: do not call again without asking the user\.$/,
    );
    expect(message.artifact).toMatchObject({ maybeBilled: true, retryable: false });
    expect(emulator.journal.list({ path: "/images/generations" })).toHaveLength(1);
  });

  it("says so when an answer was paid for and holds no image", async () => {
    scripted.script(completion({ content: "I draw no foxes." }));
    const chat = new ModelGateway(scripted.connection);
    const message = await imageGenerationTool({ gateway: chat, model: "m", shape: "chat" }).invoke(fox());
    expect(message.text).toMatch(/^The model made no image: I draw no foxes\. .*may have been billed/);
    expect(message.artifact).toMatchObject({ type: "error", maybeBilled: true });
  });

  it("is thrown, with its cause, when there is no tool call to answer", async () => {
    const thrown: unknown = await imageGenerationTool({ gateway, model: "no-such-model" })
      .invoke({ prompt: "A red fox" })
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ModelGatewayToolError);
    expect((thrown as ModelGatewayToolError).cause).toBeInstanceOf(NotFoundError);
  });

  it("is no answer to an abort: that rejects", async () => {
    const work = imageGenerationTool({ gateway, model: "local-image" }).invoke(fox(), {
      signal: AbortSignal.abort(),
    });
    await expect(work).rejects.toMatchObject({ name: "AbortError" });
    expect(emulator.journal.list()).toEqual([]);
  });

  it("closes the connection when the run is aborted", async () => {
    scripted.script({ silent: true });
    const silent = new ModelGateway(scripted.connection);
    const run = new AbortController();
    const asked = scripted.nextRequest();
    const work = imageGenerationTool({ gateway: silent, model: "m" }).invoke(fox(), { signal: run.signal });
    const rejected = expect(work).rejects.toMatchObject({ name: "AbortError" });
    await asked;
    run.abort();
    await rejected;
    await scripted.disconnected();
  });
});
