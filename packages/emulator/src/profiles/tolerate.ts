import { isRecord } from "../json/is-record.js";
import { tolerateChat } from "./tolerate-chat.js";
import { tolerateImages } from "./tolerate-images.js";

type Body = Record<string, unknown>;

const TOLERANT: Readonly<Record<string, (body: Body, serves: string | undefined) => Body>> = {
  "/chat/completions": tolerateChat,
  "/embeddings": tolerateEmbeddings,
  "/images/generations": tolerateImages,
  "/images/edits": tolerateImages,
  "/audio/speech": tolerateSpeech,
  "/moderations": tolerateModeration,
};
const SPEEDS = { min: 0.25, max: 4 };

/**
 * A body as the description has it, of one that a client of the wire format sent: what it means is kept, what nothing comes of is
 * left out.
 *
 * @param serves what the model does that it asks for
 */
export function tolerate(path: string, body: unknown, serves: string | undefined): unknown {
  const tolerant = Object.hasOwn(TOLERANT, path) ? TOLERANT[path] : undefined;
  return tolerant && isRecord(body) ? tolerant(body, serves) : body;
}

/** Tokens in place of text, as some clients count them themselves, are embedded as the numbers they are. */
function tolerateEmbeddings(body: Body): Body {
  const { input, dimensions, ...rest } = body;
  const isTokens = (value: unknown) =>
    Array.isArray(value) && value.length > 0 && value.every(Number.isInteger);
  const textOf = (value: unknown) => (isTokens(value) ? (value as number[]).join(" ") : value);
  const given = isTokens(input) || !Array.isArray(input) ? textOf(input) : input.map(textOf);
  const isUsable = typeof dimensions === "number" && dimensions >= 1;
  return { ...rest, input: given, ...(isUsable && { dimensions }) };
}

function tolerateSpeech(body: Body): Body {
  const { speed, stream_format: _stream, ...rest } = body;
  if (typeof speed !== "number") return rest;
  return { ...rest, speed: Math.min(SPEEDS.max, Math.max(SPEEDS.min, speed)) };
}

/** Of inputs in parts the texts. */
function tolerateModeration(body: Body): Body {
  const { input } = body;
  if (!Array.isArray(input) || !input.some(isRecord)) return body;
  const texts = input.filter(isRecord).flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  return { ...body, input: [texts.join("\n")] };
}
