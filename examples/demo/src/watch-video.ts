import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { ModelGateway } from "@model-gateway/core";
import { saveDownload } from "@model-gateway/core/node";
import { VideosService } from "@model-gateway/nestjs";
import { NestFactory } from "@nestjs/core";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { expectThat, type StepResult, startProgress } from "./step.js";
import { createVideoModule } from "./video-app.js";

/** Boots the application, submits a task over HTTP, follows its status over SSE, and saves the video. */
export async function watchVideo(
  gateway: ModelGateway,
  address: { apiKey: string; baseURL: string },
  output: string,
): Promise<StepResult> {
  const app = await NestFactory.create(createVideoModule(address, join(output, "video-tasks")), {
    logger: ["error", "warn"],
    forceCloseConnections: true,
  });
  try {
    await app.listen(0, "127.0.0.1");
    const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
    const origin = `http://127.0.0.1:${port}`;
    const submitted = await fetch(`${origin}/videos`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ prompt: "A red fox in the snow" }),
    });
    const { key } = (await submitted.json()) as { key: string };
    const seen = await followStatus(`${origin}/videos/${key}`);
    expectThat(seen.includes("queued") || seen.includes("running"), "a status before the last");
    expectThat(seen.at(-1) === "succeeded", "a task that succeeds");

    const record = await app.get(VideosService).get(key);
    const [video] = record?.task?.videos ?? [];
    expectThat(video !== undefined, "a video in the finished task");
    const file = "fox.mp4";
    await save(gateway, video.url, join(output, file));
    return { file };
  } finally {
    await app.close();
  }
}

/** @returns the statuses in the order they came */
async function followStatus(url: string): Promise<string[]> {
  const { body } = await fetch(url, { headers: { accept: "text/event-stream" } });
  if (body === null) throw new Error("The status stream has no body.");
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  const progress = startProgress("task", 100);
  const seen: string[] = [];
  for await (const { event, data } of events) {
    if (event === "done") break;
    const { status, progress: percent } = JSON.parse(data) as { status: string; progress?: number };
    seen.push(status);
    progress.update(percent ?? 0, status);
  }
  progress.stop();
  return seen;
}

async function save(gateway: ModelGateway, url: string, path: string): Promise<void> {
  const file = await gateway.download(url);
  const progress = startProgress("download", file.contentLength ?? 1);
  const size = await saveDownload(file, path, { onProgress: ({ received }) => progress.update(received) });
  progress.stop();
  expectThat(size > 10_000, "a video of more than 10 KB");
}
