/** Spoken text. */
export interface RenderedSpeech {
  bytes: Uint8Array;
  /** `audio/mpeg`, `audio/wav`, `audio/ogg; codecs=opus`, `audio/flac`, `audio/aac` or `audio/pcm;rate=24000`. */
  mediaType: string;
  /** Length of the sound in seconds. MP3 and AAC files last up to 0.15 s longer, for their coding's sake. */
  durationSeconds: number;
  /** Samples per second; there is always one channel. */
  sampleRate: number;
  /** `"tones"` when no part of the text is in a script that the voices speak. */
  spoken: "speech" | "tones";
}
