import { encodePcm, encodeWav } from "../audio/encode-wav.js";
import type { Sound } from "../audio/sound.js";
import type { RenderedSpeech } from "./rendered-speech.js";
import { speak } from "./speak.js";
import type { SpeechFormat, SpeechRequest } from "./speech-request.js";

interface SpeechEncoding {
  mediaType: string;
  encode(sound: Sound): Uint8Array | Promise<Uint8Array>;
}

// Encoders that are more than a few lines are loaded when they are first wanted.
const ENCODINGS: Record<SpeechFormat, SpeechEncoding> = {
  mp3: {
    mediaType: "audio/mpeg",
    encode: async (sound) => (await import("../audio/encode-mp3.js")).encodeMp3(sound),
  },
  wav: { mediaType: "audio/wav", encode: encodeWav },
  opus: {
    mediaType: "audio/ogg; codecs=opus",
    encode: async (sound) => (await import("../audio/encode-opus.js")).encodeOpus(sound),
  },
  flac: {
    mediaType: "audio/flac",
    encode: async (sound) => (await import("../audio/encode-flac.js")).encodeFlac(sound),
  },
  aac: {
    mediaType: "audio/aac",
    encode: async (sound) => (await import("../audio/encode-aac.js")).encodeAac(sound),
  },
  pcm: { mediaType: "audio/pcm;rate=24000", encode: encodePcm },
};

/** Speaks and encodes a text, on the thread it is called on. */
export async function encodeSpeech(request: SpeechRequest): Promise<RenderedSpeech> {
  const { spoken, ...sound } = await speak(request);
  const { mediaType, encode } = ENCODINGS[request.format];
  return {
    bytes: await encode(sound),
    mediaType,
    durationSeconds: sound.samples.length / sound.sampleRate,
    sampleRate: sound.sampleRate,
    spoken,
  };
}
