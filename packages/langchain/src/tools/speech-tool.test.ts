import type { ModelGateway } from "@model-gateway/core";
import type { Emulator } from "@model-gateway/emulator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startToolEmulator, stored, toolCall } from "../../test/tool-emulator.js";
import { type SpeechArtifact, speechTool } from "../tools.js";

let emulator: Emulator;
let gateway: ModelGateway;
beforeAll(async () => {
  ({ emulator, gateway } = await startToolEmulator());
});
afterAll(() => emulator.close());

describe("synthesize_speech", () => {
  it("hands the sound over as Base64 with its media type", async () => {
    const tool = speechTool({
      gateway,
      model: "local-speech",
      voices: ["alloy", "onyx"],
      request: { format: "wav" },
    });
    const message = await tool.invoke(
      toolCall("synthesize_speech", { text: "Good morning.", voice: "onyx" }),
    );
    const artifact = message.artifact as SpeechArtifact;
    const sound = Buffer.from(artifact.base64, "base64");
    expect(artifact).toMatchObject({ type: "speech", model: "local-speech", mediaType: "audio/wav" });
    expect(sound.length).toBe(artifact.byteLength);
    expect(sound.toString("latin1", 0, 4)).toBe("RIFF");
    expect(message.text).toBe(
      `The text was spoken (audio/wav, ${sound.length} bytes) and handed to the application, which plays it.`,
    );
    expect(stored(artifact)).toEqual(artifact);
    expect(emulator.journal.list()[0]?.body).toEqual({
      model: "local-speech",
      input: "Good morning.",
      voice: "onyx",
      format: "wav",
    });
  });

  it("asks for a voice only where there is a choice", () => {
    const tool = speechTool({ gateway, model: "local-speech" });
    expect(tool.schema).not.toHaveProperty("properties.voice");
  });
});
