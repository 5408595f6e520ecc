// Run as a process of its own: it renders, never closes the media worker, and has to end by itself.
import { renderVideo } from "../src/index.js";

const { bytes } = await renderVideo({
  width: 64,
  height: 64,
  durationSeconds: 1,
  prompt: "bye",
  seed: 1,
  audio: true,
});
console.log(`rendered ${bytes.length > 0}`);
