import type { Cost, ModelGateway, SpeechRequest } from "@model-gateway/core";
import { encodeBase64 } from "../encode-base64.js";
import { createGatewayTool, type GatewayTool, type ToolDescription } from "./gateway-tool.js";

/** Arguments that the model fills in. */
export interface SpeechInput {
  text: string;
  /** Only asked for when the tool was given `voices`. */
  voice?: string;
}

/** Artifact of `synthesize_speech`. Plain JSON. */
export interface SpeechArtifact {
  type: "speech";
  model: string;
  /** The sound file. */
  base64: string;
  mediaType: string;
  /** Size of the file in bytes. */
  byteLength: number;
  /** What the call cost, where the client has `prices`. */
  cost?: Cost;
}

/** Fields of {@link speechTool}. */
export interface SpeechToolFields extends ToolDescription {
  gateway: Pick<ModelGateway, "audio">;
  /** A speech model available to the key. */
  model: string;
  /** Voices among which the model may choose. Without them it is not asked, and `request.voice` holds. */
  voices?: readonly string[];
  /** Fields of every request, such as `{ voice: "alloy", format: "wav" }`. */
  request?: Partial<Omit<SpeechRequest, "model" | "input">>;
}

/** Tool `synthesize_speech`: speaks a text. The artifact is a {@link SpeechArtifact}. Paid, like images. */
export function speechTool(fields: SpeechToolFields): GatewayTool<SpeechInput, "synthesize_speech"> {
  const { gateway, model, voices = [], request, description } = fields;
  const voice = { type: "string", enum: [...voices], description: "Who speaks." } as const;
  return createGatewayTool({
    name: "synthesize_speech",
    description:
      description ??
      "Speaks a text and hands the sound file to the application. Costs money: call it once per text.",
    schema: {
      type: "object",
      properties: {
        text: { type: "string", minLength: 1, description: "The words to speak, and nothing else." },
        ...(voices.length > 0 ? { voice } : {}),
      },
      required: ["text"],
    },
    retryBillable: fields.retryBillable,
    run: async ({ text, voice: chosen }: SpeechInput, signal) => {
      const body = { ...request, ...(chosen === undefined ? {} : { voice: chosen }), model, input: text };
      const { contentType, bytes, cost } = await gateway.audio.speech.create(body, {
        signal,
        budgetTag: fields.budgetTag,
      });
      const file = await bytes();
      const artifact: SpeechArtifact = {
        type: "speech",
        model,
        base64: encodeBase64(file),
        mediaType: contentType,
        byteLength: file.length,
        ...(cost === undefined ? {} : { cost }),
      };
      return [
        `The text was spoken (${contentType}, ${file.length} bytes) and handed to the application, which plays it.`,
        artifact,
      ];
    },
  });
}
