// Run as a process of its own: prints the digests of what it renders, which is the same in every process.
import { createHash } from "node:crypto";
import { closeMedia, renderImage, renderVideo } from "../src/index.js";

const prompts = [
  "three black cats in the snow at night",
  "ein gelbes Fahrrad im Regen",
  "夕阳下海边的两只狗",
];
for (const prompt of prompts) {
  const image = await renderImage({ width: 500, height: 300, prompt, seed: 3, format: "png" });
  console.log(createHash("sha256").update(image.bytes).digest("hex"));
}
const video = await renderVideo({
  width: 192,
  height: 128,
  durationSeconds: 1,
  prompt: "a red sailboat",
  seed: 3,
  audio: true,
});
console.log(createHash("sha256").update(video.bytes).digest("hex"));
await closeMedia();
