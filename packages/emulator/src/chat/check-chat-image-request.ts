import { type ChatImageForm, formInPrompt } from "../api/chat-image-form.js";
import { Field } from "../checks/field.js";
import { type PixelSize, parsePixelSize } from "../images/image-size.js";
import type { ImageQuality } from "../images/image-tokens.js";
import { stripPromptMarkers } from "../language/prompt-markers.js";
import type { ChatRequest } from "./chat-request.js";

const SIDE_STEP = 16;
const MIN_PIXELS = 655_360;
const MAX_ASPECT_RATIO = 3;
/** Not of the API description: what the emulator can render. */
const MAX_PIXELS = 4_096 * 4_096;
const SIZE_RULES = `must be "auto" or <WIDTH>x<HEIGHT> with width and height divisible by ${SIDE_STEP}, at least ${MIN_PIXELS} pixels and an aspect ratio of at most ${MAX_ASPECT_RATIO}:1`;
const QUALITIES = ["low", "medium", "high", "auto"] as const;
const AUTOMATIC_QUALITY = "medium";
/** `1536x1024 'a red fox'` or `auto 'a red fox'`. */
const SIZE_PREFIX = /^\s*(auto|\d{1,5}x\d{1,5})\s+['"‘“]([\s\S]*?)['"’”]?\s*$/;

/** What a chat request asks the image-chat model for. */
export interface ChatImageRequest {
  prompt: string;
  /** Undefined for automatic. */
  size?: PixelSize;
  quality: ImageQuality;
  /** URLs and data URLs of the last user message. */
  inputs: string[];
  form?: ChatImageForm;
}

/** Reads what the image-chat model needs from a checked chat request. @throws APIError 400 */
export function checkChatImageRequest(body: unknown, request: ChatRequest): ChatImageRequest {
  const field = Field.body(body);
  const user = request.messages.findLast(({ role }) => role === "user");
  const text = stripPromptMarkers(user?.text ?? "");
  const [, prefix, quoted] = SIZE_PREFIX.exec(text) ?? [];
  const metadata = field.getNullable("metadata");
  const inMetadata = metadata.getNullable("size");
  const size = inMetadata.present
    ? checkSize(inMetadata.string() ?? "", (problem) => inMetadata.refuse(problem))
    : checkSize(prefix ?? "auto", (problem) =>
        field
          .get("messages")
          .refuse(`begin with a size prefix that ${problem.replace(/^must/, "does not fit: it must")}`),
      );
  const quality = metadata.getNullable("quality").optional((member) => member.oneOf(QUALITIES)) ?? "auto";
  const prompt = (quoted ?? text).trim();
  if (prompt === "") {
    field.get("messages").refuse("must end in a user message whose text says which image is wanted");
  }
  field.finish();
  return {
    prompt,
    size,
    quality: quality === "auto" ? AUTOMATIC_QUALITY : quality,
    inputs: user?.images ?? [],
    form: formInPrompt(user?.text ?? ""),
  };
}

function checkSize(text: string, refuse: (problem: string) => void): PixelSize | undefined {
  if (text === "auto") return undefined;
  const size = parsePixelSize(text);
  if (!size || !fitsRules(size)) refuse(`${SIZE_RULES} (got "${text.slice(0, 40)}")`);
  else if (size.width * size.height > MAX_PIXELS) refuse(`must have at most ${MAX_PIXELS} pixels here`);
  return size;
}

function fitsRules({ width, height }: PixelSize): boolean {
  return (
    width % SIDE_STEP === 0 &&
    height % SIDE_STEP === 0 &&
    width * height >= MIN_PIXELS &&
    Math.max(width, height) <= MAX_ASPECT_RATIO * Math.min(width, height)
  );
}
