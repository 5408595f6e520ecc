// Makes the speech and the film that the emulator serves where its media package is not installed. Run it from source
// after a change of the media package: node --import tsx scripts/make-fallback-media.mjs
import { writeFile } from "node:fs/promises";
import { closeMedia, renderSpeech, renderVideo } from "../packages/emulator-media/src/index.ts";

const folder = new URL("../packages/emulator/src/media/fallback/", import.meta.url);
const text = "This is a spare voice. The media package is not installed.";

for (const format of ["mp3", "opus", "aac"]) {
  const { bytes } = await renderSpeech({ text, voice: "nova", format });
  await writeFile(new URL(`speech.${format}`, folder), bytes);
}
const film = await renderVideo({
  width: 640,
  height: 360,
  durationSeconds: 5,
  prompt: "A red sailboat on the sea, mountains behind: the media package is not installed",
  seed: 1,
  audio: true,
});
await writeFile(new URL("film.mp4", folder), film.bytes);
await closeMedia();
