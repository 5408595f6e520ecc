import type { Field } from "../checks/field.js";
import { stripPromptMarkers } from "../language/prompt-markers.js";
import type { SpeechFormat } from "../media/media-renderer.js";

const FORMATS = ["mp3", "wav", "opus", "flac", "aac", "pcm"] as const satisfies readonly SpeechFormat[];
const DEFAULT_VOICE = "alloy";
const LONGEST_INPUT = 4_096;
const VISIBLE = /[^\s\p{M}\p{Cf}\p{Cc}]/u;
const MIN_SPEED = 0.25;
const MAX_SPEED = 4;

/** A body of `POST /audio/speech` that passed every check. */
export interface SpeechRequest {
  model: string;
  input: string;
  voice: string;
  format: SpeechFormat;
  speed: number;
}

/** Checks a body of `POST /audio/speech`; clients of the chat wire format call `format` `response_format`. */
export function checkSpeechRequest(body: Field): SpeechRequest {
  const format = body.getNullable("format").optional((field) => field.oneOf(FORMATS));
  const alias = body.getNullable("response_format").optional((field) => field.oneOf(FORMATS));
  if (format !== undefined && alias !== undefined && format !== alias) {
    body.get("response_format").refuse(`contradicts format "${format}"; send one of the two`);
  }
  const request: SpeechRequest = {
    model: body.get("model").nonEmptyString() ?? "",
    input: checkInput(body.get("input")),
    voice: body.getNullable("voice").optional((field) => field.nonEmptyString()) ?? DEFAULT_VOICE,
    format: format ?? alias ?? "mp3",
    speed:
      body.getNullable("speed").optional((field) => field.number({ min: MIN_SPEED, max: MAX_SPEED })) ?? 1,
  };
  body.getNullable("instructions").optional((field) => field.string());
  body.finish();
  return request;
}

/** The text to speak, without prompt markers. */
function checkInput(field: Field): string {
  const input = field.nonEmptyString();
  if (input === undefined) return "";
  const characters = [...input].length;
  if (characters > LONGEST_INPUT) {
    field.refuse(`takes at most ${LONGEST_INPUT} characters (got ${characters}); send longer texts in parts`);
  }
  const text = stripPromptMarkers(input);
  if (!VISIBLE.test(text)) field.refuse("must hold at least one visible character to speak");
  return text;
}
