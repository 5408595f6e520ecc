import type { Cost, GatewayImage, ImageError, ImageResult } from "@model-gateway/core";
import type { ContentAndArtifact } from "./gateway-tool.js";
import { ModelGatewayToolError } from "./model-gateway-tool-error.js";

/** One image of a tool's result: by link, by content, or the reason why it could not be made. */
export interface ImageArtifactItem {
  /** Download link; may expire. */
  url?: string;
  /** The image itself. */
  base64?: string;
  mediaType: string;
  /** The prompt as the model rewrote it. */
  revisedPrompt?: string;
  error?: ImageError;
}

/** Artifact of `generate_image` and `edit_image`. Plain JSON. */
export interface ImageArtifact {
  type: "image";
  model: string;
  images: ImageArtifactItem[];
  /** As the gateway sent it; its structure varies with the model. */
  usage?: unknown;
  /** What the call cost, where the client has `prices`. */
  cost?: Cost;
  /** What an image-chat model said beside the image. */
  text?: string;
}

/**
 * The sentence and the artifact of an image result.
 *
 * @throws ModelGatewayToolError when the answer holds no image
 */
export function toImageOutput(
  model: string,
  verb: "generated" | "edited",
  result: ImageResult & { text?: string },
): ContentAndArtifact<ImageArtifact> {
  const { images, usage, cost, text } = result;
  const made = images.filter(({ error }) => error === undefined);
  if (made.length === 0) throw noImage(images, text);
  const artifact: ImageArtifact = {
    type: "image",
    model,
    images: images.map(toItem),
    ...(usage === undefined ? {} : { usage }),
    ...(cost === undefined ? {} : { cost }),
    ...(text ? { text } : {}),
  };
  return [describe(made, images.length - made.length, verb), artifact];
}

function toItem({ url, base64, mediaType, revisedPrompt, error }: GatewayImage): ImageArtifactItem {
  return {
    ...(url === undefined ? {} : { url }),
    ...(base64 === undefined ? {} : { base64 }),
    mediaType,
    ...(revisedPrompt === undefined ? {} : { revisedPrompt }),
    ...(error === undefined ? {} : { error }),
  };
}

/** One sentence. Links are named, so that the model can show them or pass them to another tool. */
function describe(made: readonly GatewayImage[], failed: number, verb: string): string {
  const count = made.length === 1 ? "One image was" : `${made.length} images were`;
  const links = made.flatMap(({ url }) => (url === undefined || url.startsWith("data:") ? [] : [url]));
  const where =
    links.length > 0 ? `: ${links.join(" ")}` : " and handed to the application, which shows it to the user.";
  return `${count} ${verb}${failed > 0 ? ` (${failed} more could not be made)` : ""}${where}`;
}

function noImage(images: readonly GatewayImage[], text: string | undefined): ModelGatewayToolError {
  const reason = images.find(({ error }) => error !== undefined)?.error?.message ?? text;
  return new ModelGatewayToolError(
    `The model made no image${reason ? `: ${reason}` : "."} The call was answered and may have been billed: ` +
      "ask the user before calling again.",
    { maybeBilled: true },
  );
}
