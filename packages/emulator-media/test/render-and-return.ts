// Run as a process of its own: it renders every medium, never closes the media worker, and has to end by itself.
import { renderImage, renderSpeech, renderVideo } from "../src/index.js";

const image = await renderImage({ width: 64, height: 64, prompt: "bye", seed: 1, format: "webp" });
const video = await renderVideo({
  width: 64,
  height: 64,
  durationSeconds: 1,
  prompt: "bye",
  seed: 1,
  audio: true,
  firstFrame: image.bytes,
});
const speech = await renderSpeech({ text: "bye", voice: "alloy", format: "aac" });
console.log(`rendered ${[image, video, speech].every(({ bytes }) => bytes.length > 0)}`);
