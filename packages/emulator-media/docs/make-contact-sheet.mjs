// Makes the picture in the README: node --import tsx docs/make-contact-sheet.mjs
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { closeMedia, renderImage } from "../src/index.ts";

const size = { width: 360, height: 270 };
const prompts = [
  "A red sailboat at sunset on the sea, mountains behind",
  "Three black cats in the snow at night",
  "夕阳下海边的两只狗和一座蓝色的房子",
  "Ein grünes Auto links und ein gelbes Fahrrad rechts in der Stadt bei Regen",
  "A hot air balloon over mountains",
  "A fox in the forest, fog",
  "Zwei rote Äpfel und eine gelbe Banane auf dem Tisch",
  "紫色背景上的黄色星星",
  "A purple flumbox on a table",
];
const tiles = [];
for (const [index, prompt] of prompts.entries()) {
  const { bytes } = await renderImage({ width: 960, height: 720, prompt, seed: 1, format: "png" });
  const [left, top] = [(index % 3) * (size.width + 6), Math.floor(index / 3) * (size.height + 6)];
  tiles.push({ input: await sharp(bytes).resize(size).toBuffer(), left, top });
}
await sharp({ create: { width: 1092, height: 822, channels: 3, background: "white" } })
  .composite(tiles)
  .jpeg({ quality: 78, mozjpeg: true })
  .toFile(fileURLToPath(new URL("contact-sheet.jpg", import.meta.url)));
await closeMedia();
