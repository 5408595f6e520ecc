import type {
  Base64ImageRequest,
  ChatImageRequest,
  ModelGateway,
  ReferenceImageRequest,
} from "@model-gateway/core";
import { createGatewayTool, type GatewayTool, type ToolDescription } from "./gateway-tool.js";
import { toImageOutput } from "./image-artifact.js";
import { sizeSchema } from "./size-schema.js";

/** Arguments that the model fills in. */
export interface ImageGenerationInput {
  prompt: string;
  /** Only asked for when the tool was given `sizes`. */
  size?: string;
}

type Preset<Request> = Partial<Omit<Request, "model" | "prompt" | "image" | "images">>;

/** Where the model is served and what every call sends. */
export type ImageGenerationRoute =
  | {
      /** `POST /images/generations` of a model that answers in Base64. The default. */
      shape?: "base64";
      /** Fields of every request, such as `{ size: "1024x1024", quality: "high" }`. */
      request?: Preset<Base64ImageRequest>;
    }
  | {
      /** `POST /images/generations` of a reference-image model. */
      shape: "reference";
      /** Fields of every request, such as `{ size: "2K", watermark: false }`. */
      request?: Preset<ReferenceImageRequest>;
    }
  | {
      /** The image-chat model, which is served by `POST /chat/completions`. */
      shape: "chat";
      /** Fields of every request, such as `{ size: "1024x1024", quality: "high" }`. */
      request?: Preset<ChatImageRequest>;
    };

/** Fields of {@link imageGenerationTool}. */
export type ImageGenerationToolFields = ImageGenerationRoute &
  ToolDescription & {
    gateway: Pick<ModelGateway, "images">;
    /** An image model available to the key. */
    model: string;
    /** Sizes among which the model may choose. Without them it is not asked, and `request.size` holds. */
    sizes?: readonly string[];
  };

/**
 * Tool `generate_image`: makes an image from a description. The artifact is an `ImageArtifact`.
 * Paid: a failed call is never repeated when it may have been carried out.
 */
export function imageGenerationTool(
  fields: ImageGenerationToolFields,
): GatewayTool<ImageGenerationInput, "generate_image"> {
  const { gateway, model, sizes, description } = fields;
  return createGatewayTool({
    name: "generate_image",
    description:
      description ??
      "Generates an image from a description. Costs money: call it once per image that is wanted.",
    schema: {
      type: "object",
      properties: {
        prompt: { type: "string", minLength: 1, description: "What the image shows, in detail." },
        ...sizeSchema(sizes),
      },
      required: ["prompt"],
    },
    retryBillable: fields.retryBillable,
    run: async ({ prompt, size }: ImageGenerationInput, signal) => {
      const chosen = size === undefined ? {} : { size };
      const result =
        fields.shape === "chat"
          ? await gateway.images.generateThroughChat(
              { ...fields.request, ...chosen, model, prompt },
              { signal, budgetTag: fields.budgetTag },
            )
          : await gateway.images.generate(
              { ...fields.request, ...chosen, model, prompt },
              { signal, budgetTag: fields.budgetTag },
            );
      return toImageOutput(model, "generated", result);
    },
  });
}
