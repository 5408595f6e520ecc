export type { Audio, Speech, SpeechRequest, SpeechResult } from "./audio/audio.js";
export { createAudio } from "./audio/create-audio.js";
export * from "./common.js";
export type { ByteBody } from "./streams/byte-body.js";
