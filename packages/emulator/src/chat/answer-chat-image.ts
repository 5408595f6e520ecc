import { randomUUID } from "node:crypto";
import { chunkPause } from "../api/chunk-pause.js";
import type { Exchange } from "../api/exchange.js";
import { Answer } from "../http/answer.js";
import { eventStreamResponse } from "../http/event-stream.js";
import { formatPixelSize } from "../images/image-size.js";
import { outputImageTokens } from "../images/image-tokens.js";
import { usualSizeLike } from "../images/usual-size.js";
import { hashText } from "../language/hash-text.js";
import { countTokens } from "../language/tokenize.js";
import type { ImageRecipe } from "../media/file-recipe.js";
import { readImageSize } from "../media/read-image-size.js";
import { renderImageRecipe } from "../media/render-image-recipe.js";
import {
  type ChatImageMessage,
  chatImageDeltas,
  chatImageMessage,
  embedsImage,
} from "./chat-image-message.js";
import type { ChatRequest } from "./chat-request.js";
import { checkChatImageRequest } from "./check-chat-image-request.js";
import { countPromptTokens } from "./prompt-tokens.js";

/** `POST /chat/completions` with the image-chat model: a completion whose message holds an image. */
export async function answerChatImage(
  exchange: Exchange,
  model: string,
  request: ChatRequest,
): Promise<Answer> {
  const { body, services, url, bill } = exchange;
  const wanted = checkChatImageRequest(body, request);
  const size = wanted.size ?? usualSizeLike(readImageSize(wanted.inputs[0] ?? ""));
  const form = wanted.form ?? services.chatImageForm;
  const seed = request.seed ?? hashText(wanted.prompt, services.seed);
  const id = `chatcmpl-${randomUUID()}`;

  const promptTokens = countPromptTokens(request);
  // The link is left out: its signature is another every time, and two runs are to count alike.
  const wording = chatImageMessage(form, { prompt: wanted.prompt, size: formatPixelSize(size), url: "" });
  const textTokens = typeof wording.content === "string" ? countTokens(wording.content) : 0;
  const completionTokens = request.count * (outputImageTokens(size, wanted.quality) + textTokens);
  bill.expect(model, { images: request.count, inputTokens: promptTokens, outputTokens: completionTokens });

  const makeMessage = async (index: number): Promise<ChatImageMessage> => {
    const recipe: ImageRecipe = {
      kind: "image",
      request: {
        ...size,
        prompt: wanted.prompt,
        seed: seed + index,
        format: "png",
        details: [formatPixelSize(size), `quality ${wanted.quality}`],
      },
      inputs: wanted.inputs,
    };
    const path = `${id}/${index + 1}.png`;
    const imageURL = embedsImage(form)
      ? `data:image/png;base64,${Buffer.from((await renderImageRecipe(services, recipe)).bytes).toString("base64")}`
      : services.files.publish(url.origin, path, services.clock.now(), recipe);
    return chatImageMessage(form, { prompt: wanted.prompt, size: formatPixelSize(size), url: imageURL });
  };
  const messages: ChatImageMessage[] = [];
  for (let index = 0; index < request.count; index++) messages.push(await makeMessage(index));

  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
  const about = { id, created: Math.floor(services.clock.now() / 1_000), model };
  if (!request.stream) {
    return Answer.json({
      ...about,
      object: "chat.completion",
      choices: messages.map((message, index) => ({
        index,
        message: { role: "assistant", ...message },
        finish_reason: "stop",
      })),
      usage,
    });
  }
  function* chunks() {
    const chunk = (choices: object[], more: object) => ({
      ...about,
      object: "chat.completion.chunk",
      choices,
      ...more,
    });
    const noUsage = request.includeUsage ? { usage: null } : {};
    for (const [index, message] of messages.entries()) {
      for (const delta of chatImageDeltas(message))
        yield chunk([{ index, delta, finish_reason: null }], noUsage);
      yield chunk([{ index, delta: {}, finish_reason: "stop" }], noUsage);
    }
    if (request.includeUsage) yield chunk([], { usage });
  }
  return eventStreamResponse(chunks(), { pause: chunkPause(exchange) });
}
