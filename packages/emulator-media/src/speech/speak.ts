import type { Sound } from "../audio/sound.js";
import { playTones } from "./play-tones.js";
import { resample } from "./resample.js";
import type { SpeechRequest } from "./speech-request.js";
import { splitRuns } from "./split-runs.js";
import { splitUtterances } from "./split-utterances.js";
import { synthesize } from "./synthesize.js";
import { BASE_PITCH_HERTZ, findVoice } from "./voices.js";

/** Samples per second of everything that is spoken. */
export const SPEECH_SAMPLE_RATE = 24_000;

/** Speaks a text, on the thread it is called on: speech and tones one after the other, as the text has them. */
export async function speak({
  text,
  voice: name,
  speed = 1,
  seed,
}: SpeechRequest): Promise<Sound & { spoken: "speech" | "tones" }> {
  const voice = findVoice(name, seed);
  const pace = voice.pace * speed;
  const runs = splitRuns(text);
  const parts: Int16Array[] = [];
  for (const run of runs) {
    if (run.kind === "tones") {
      const rootHertz = BASE_PITCH_HERTZ[voice.base] * voice.pitch;
      parts.push(playTones(run.text, { rootHertz, speed: pace, sampleRate: SPEECH_SAMPLE_RATE }));
      continue;
    }
    for (const utterance of splitUtterances(run.text)) {
      // Raising the pitch shortens the sound, so it is first made longer by as much.
      const { samples, sampleRate } = await synthesize(utterance, voice.base, voice.pitch / pace);
      parts.push(resample(samples, sampleRate * voice.pitch, SPEECH_SAMPLE_RATE));
    }
  }
  return {
    samples: join(parts),
    sampleRate: SPEECH_SAMPLE_RATE,
    spoken: runs.some(({ kind }) => kind === "speech") ? "speech" : "tones",
  };
}

function join(parts: readonly Int16Array[]): Int16Array {
  const joined = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0));
  let to = 0;
  for (const part of parts) {
    joined.set(part, to);
    to += part.length;
  }
  return joined;
}
