import {
  type ChatImageRequest,
  type ImageEditRequest,
  type ImageInput,
  type ModelGateway,
  mayBeImage,
  type ReferenceImageRequest,
} from "@model-gateway/core";
import { createGatewayTool, type GatewayTool, type ToolDescription } from "./gateway-tool.js";
import { toImageOutput } from "./image-artifact.js";
import { ModelGatewayToolError } from "./model-gateway-tool-error.js";
import { sizeSchema } from "./size-schema.js";

/** Arguments that the model fills in. */
export interface ImageEditInput {
  prompt: string;
  /** 1 to 16 links or data URLs. */
  images: string[];
  /** Only asked for when the tool was given `sizes`. */
  size?: string;
}

type Preset<Request> = Partial<Omit<Request, "model" | "prompt" | "image" | "images" | "mask">>;

/** Where the model is served and what every call sends. */
export type ImageEditRoute =
  | {
      /** `POST /images/edits`: the images are downloaded through the gateway client and sent as files. The default. */
      shape?: "base64";
      request?: Preset<ImageEditRequest>;
    }
  | {
      /** A reference-image model on `POST /images/generations`, which is given the addresses. */
      shape: "reference";
      request?: Preset<ReferenceImageRequest>;
    }
  | {
      /** The image-chat model, which is given the addresses. */
      shape: "chat";
      request?: Preset<ChatImageRequest>;
    };

/** Fields of {@link imageEditTool}. */
export type ImageEditToolFields = ImageEditRoute &
  ToolDescription & {
    gateway: Pick<ModelGateway, "download" | "images">;
    /** An image model available to the key. */
    model: string;
    /** Sizes among which the model may choose. Without them it is not asked, and `request.size` holds. */
    sizes?: readonly string[];
    /** Largest image that is downloaded, in bytes. Default 32 MiB. */
    maxImageBytes?: number;
  };

const MAX_IMAGES = 16;
const DEFAULT_MAX_IMAGE_BYTES = 32 * 2 ** 20;

/**
 * Tool `edit_image`: changes or combines 1 to 16 images, given by links or data URLs. The artifact is an
 * `ImageArtifact`. The model chooses the links: downloads go through `gateway.download`, which refuses private
 * networks and shows the key to the gateway alone, and what is no image is not sent on.
 */
export function imageEditTool(fields: ImageEditToolFields): GatewayTool<ImageEditInput, "edit_image"> {
  const { model, sizes, description } = fields;
  return createGatewayTool({
    name: "edit_image",
    description:
      description ??
      "Edits or combines existing images by a description. Costs money: call it once per edit that is wanted.",
    schema: {
      type: "object",
      properties: {
        prompt: { type: "string", minLength: 1, description: "What to change." },
        images: {
          type: "array",
          items: { type: "string", pattern: "^(https?://|data:image/)" },
          minItems: 1,
          maxItems: MAX_IMAGES,
          description:
            "Links (https://…) or data URLs of the images, in the order in which the prompt names them.",
        },
        ...sizeSchema(sizes),
      },
      required: ["prompt", "images"],
    },
    retryBillable: fields.retryBillable,
    run: async ({ prompt, images, size }: ImageEditInput, signal) => {
      const body = { ...(size === undefined ? {} : { size }), model, prompt };
      return toImageOutput(model, "edited", await edit(fields, body, images, signal));
    },
  });
}

async function edit(
  fields: ImageEditToolFields,
  body: { model: string; prompt: string; size?: string },
  urls: string[],
  signal: AbortSignal | undefined,
) {
  const { images } = fields.gateway;
  switch (fields.shape) {
    case "reference":
      return images.generate(
        { ...fields.request, ...body, image: urls },
        { signal, budgetTag: fields.budgetTag },
      );
    case "chat":
      return images.generateThroughChat(
        { ...fields.request, ...body, images: urls },
        { signal, budgetTag: fields.budgetTag },
      );
    default: {
      const files = await Promise.all(urls.map((url, index) => download(fields, url, index, signal)));
      return images.edit(
        { ...fields.request, ...body, images: files },
        { signal, budgetTag: fields.budgetTag },
      );
    }
  }
}

async function download(
  { gateway, maxImageBytes = DEFAULT_MAX_IMAGE_BYTES }: ImageEditToolFields,
  url: string,
  index: number,
  signal: AbortSignal | undefined,
): Promise<ImageInput> {
  const { contentType, body, bytes } = await gateway.download(url, { signal, maxBytes: maxImageBytes });
  if (mayBeImage(contentType)) return { data: await bytes(), mediaType: contentType };
  await body.cancel();
  throw new ModelGatewayToolError(
    `images[${index}] is no image: its address answers with ${contentType}. Nothing was made or billed. ` +
      "Change the arguments and call the tool again.",
    { maybeBilled: false },
  );
}
