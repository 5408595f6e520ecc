import { chunkPause } from "../api/chunk-pause.js";
import type { Exchange } from "../api/exchange.js";
import { Answer } from "../http/answer.js";
import { eventStreamResponse } from "../http/event-stream.js";
import { hashText } from "../language/hash-text.js";
import { stripPromptMarkers } from "../language/prompt-markers.js";
import { countTokens } from "../language/tokenize.js";
import { renderImage, settleImageFormat } from "../media/render-image.js";
import type { Base64ImageOptions } from "./base64-image-options.js";
import { formatPixelSize, type PixelSize } from "./image-size.js";
import { outputImageTokens, PARTIAL_IMAGE_TOKENS } from "./image-tokens.js";

/** What makes an answer one of generation or of editing. */
export interface Base64ImageTask {
  kind: "image_generation" | "image_edit";
  size: PixelSize;
  /** Encoded pictures that are edited. */
  inputs: Uint8Array[];
  inputImageTokens: number;
}

/** Answers a checked request of the Base64-only family, whole or as a stream. */
export async function answerBase64Images(
  exchange: Exchange,
  model: string,
  options: Base64ImageOptions,
  { kind, size, inputs, inputImageTokens }: Base64ImageTask,
): Promise<Answer> {
  const { services, bill } = exchange;
  const format = await settleImageFormat(services, options.outputFormat, "png");
  const prompt = stripPromptMarkers(options.prompt);
  const seed = hashText(prompt, services.seed);
  const created = Math.floor(services.clock.now() / 1_000);
  const about = {
    size: formatPixelSize(size),
    quality: options.quality,
    background: options.background === "transparent" ? "transparent" : "opaque",
    output_format: format,
  };

  const makeImage = async (index: number, partial?: number): Promise<string> => {
    const details = [about.size, `quality ${about.quality}`];
    if (inputs.length > 0) details.push(`edit of ${inputs.length} image${inputs.length === 1 ? "" : "s"}`);
    if (partial !== undefined) details.push(`partial ${partial + 1} of ${options.partialImages}`);
    const { bytes } = await renderImage(services, {
      ...size,
      prompt,
      seed: seed + index,
      format,
      background: options.background === "transparent" ? "transparent" : "opaque",
      // The renderer counts from 1; a compression of 0 is the least it can do.
      quality: options.compression === undefined ? undefined : Math.max(1, options.compression),
      details,
      inputs,
    });
    return Buffer.from(bytes).toString("base64");
  };
  const textTokens = countTokens(prompt);
  const usageOf = (images: number, partials: number, given: 0 | 1) => {
    const outputTokens = images * outputImageTokens(size, options.quality) + partials * PARTIAL_IMAGE_TOKENS;
    const inputTokens = given * (textTokens + inputImageTokens);
    return {
      total_tokens: inputTokens + outputTokens,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      input_tokens_details: { text_tokens: given * textTokens, image_tokens: given * inputImageTokens },
    };
  };

  const partials = options.stream ? options.partialImages : 0;
  bill.expect(model, {
    images: options.count,
    inputTokens: textTokens + inputImageTokens,
    outputTokens: usageOf(options.count, options.count * partials, 1).output_tokens,
  });

  if (!options.stream) {
    const data: object[] = [];
    for (let index = 0; index < options.count; index++) {
      const image = { b64_json: await makeImage(index) };
      data.push(kind === "image_edit" ? { ...image, revised_prompt: prompt } : image);
    }
    const usage = usageOf(options.count, 0, 1);
    return Answer.json({ created, ...(kind === "image_edit" ? about : {}), data, usage });
  }
  async function* events() {
    for (let index = 0; index < options.count; index++) {
      for (let partial = 0; partial < options.partialImages; partial++) {
        const image = await makeImage(index, partial);
        yield {
          type: `${kind}.partial_image`,
          b64_json: image,
          partial_image_index: partial,
          created_at: created,
          ...about,
        };
      }
      const image = await makeImage(index);
      // What was given is read once, however many images are made of it.
      const usage = usageOf(1, options.partialImages, index === 0 ? 1 : 0);
      yield { type: `${kind}.completed`, b64_json: image, created_at: created, ...about, usage };
    }
  }
  return eventStreamResponse(events(), { pause: chunkPause(exchange), endMarker: false });
}
