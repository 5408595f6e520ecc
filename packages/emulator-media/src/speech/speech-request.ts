/** Formats that {@link renderSpeech} encodes. */
export type SpeechFormat = "mp3" | "wav" | "opus" | "flac" | "aac" | "pcm";

/** What {@link renderSpeech} is asked for. */
export interface SpeechRequest {
  /** What to say: 1 to 4096 characters, of which at least one has to be more than a space. */
  text: string;
  /** One of {@link speechVoices}, in any case; any other name stands for a voice of its own. */
  voice: string;
  format: SpeechFormat;
  /** How fast to speak, from 0.25 to 4. Default 1. */
  speed?: number;
  /** Any finite number; speaks a little higher or lower, faster or slower. Without it the voice is as it is. */
  seed?: number;
}

const FORMATS: readonly string[] = ["mp3", "wav", "opus", "flac", "aac", "pcm"] satisfies SpeechFormat[];
const MAX_CHARACTERS = 4096;
const MIN_SPEED = 0.25;
const MAX_SPEED = 4;

/**
 * Checks a request before it goes to the worker.
 *
 * @throws RangeError for a value outside the limits of {@link SpeechRequest}; TypeError for text that is none.
 */
export function assertSpeechRequest({ text, voice, format, speed, seed }: SpeechRequest): void {
  if (typeof text !== "string") throw new TypeError("Speech text must be a string.");
  if (typeof voice !== "string") throw new TypeError("Speech voice must be a string.");
  const characters = countCharacters(text);
  if (characters > MAX_CHARACTERS) {
    throw new RangeError(
      `Speech text has ${characters} characters, which is too long: at most ${MAX_CHARACTERS}. Split it into several calls.`,
    );
  }
  if (!/[^\s\p{M}\p{Cf}\p{Cc}]/u.test(text)) {
    throw new RangeError("Speech text is empty: it must have at least one visible character.");
  }
  if (voice.trim() === "") throw new RangeError("Speech voice is empty: give a name, such as alloy.");
  if (!FORMATS.includes(format)) {
    throw new RangeError(`Speech format ${format} is not possible: it must be one of ${FORMATS.join(", ")}.`);
  }
  if (speed !== undefined && !(speed >= MIN_SPEED && speed <= MAX_SPEED)) {
    throw new RangeError(
      `Speech speed ${speed} is not possible: it must be a number from ${MIN_SPEED} to ${MAX_SPEED}.`,
    );
  }
  if (seed !== undefined && !Number.isFinite(seed)) {
    throw new RangeError(`Speech seed ${seed} is not possible: it must be a finite number.`);
  }
}

/** Characters, not the UTF-16 units that `length` counts. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
