// Run by `survive-crash.ts` in a process of its own: submits a video, says so, and goes on until it is killed.
import { VideosService } from "@model-gateway/nestjs";
import { NestFactory } from "@nestjs/core";
import { createVideoModule } from "./video-app.js";

const [directory = "", key = "", prompt = ""] = process.argv.slice(2);
const app = await NestFactory.create(createVideoModule({}, directory), { logger: ["error", "warn"] });
await app.listen(0, "127.0.0.1");
await app.get(VideosService).submit(
  {
    model: "local-video-2.0",
    content: [{ type: "text", text: prompt }],
    duration: 4,
    resolution: "480p",
  },
  { key },
);
process.send?.("submitted");
