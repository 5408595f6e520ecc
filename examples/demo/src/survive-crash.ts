import { fork } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ModelGateway } from "@model-gateway/core";
import { saveDownload } from "@model-gateway/core/node";
import type { Emulator } from "@model-gateway/emulator";
import { VideosService } from "@model-gateway/nestjs";
import { NestFactory } from "@nestjs/core";
import { lastValueFrom, tap } from "rxjs";
import { expectThat, type StepResult, startProgress } from "./step.js";
import { createVideoModule } from "./video-app.js";

const KEY = "order-1";
const PROMPT = "A lighthouse in a storm";

/** Kills the process that paid for a video, and has another one bring the video home. */
export async function surviveCrash(
  gateway: ModelGateway,
  emulator: Emulator,
  address: { apiKey: string; baseURL: string },
  output: string,
): Promise<StepResult> {
  const directory = join(output, "video-tasks");
  const paidBefore = paidVideos(emulator);
  await submitAndDie(address, directory);
  console.log("  killed with SIGKILL, right after it had paid");

  const app = await NestFactory.create(createVideoModule(address, directory), { logger: ["error", "warn"] });
  try {
    await app.init();
    const progress = startProgress("resumed", 100);
    const { status, task } = await lastValueFrom(
      app
        .get(VideosService)
        .watch$(KEY)
        .pipe(tap((record) => progress.update(record.task?.progress ?? 0, record.status))),
    );
    progress.stop();
    expectThat(status === "succeeded", "a task that succeeds");
    expectThat(paidVideos(emulator) - paidBefore === 1, "a video that is paid for once");
    console.log("  paid for once, by the gateway's own journal");
    const [video] = task?.videos ?? [];
    expectThat(video !== undefined, "a video in the finished task");
    const file = "lighthouse.mp4";
    await saveDownload(await gateway.download(video.url), join(output, file));
    return { file };
  } finally {
    await app.close();
  }
}

/** Runs the application in another process until it has submitted the video, and kills it. */
async function submitAndDie(address: { apiKey: string; baseURL: string }, directory: string): Promise<void> {
  const app = fork(fileURLToPath(new URL("crashing-app.ts", import.meta.url)), [directory, KEY, PROMPT], {
    // Whatever runs this process, and from where: it may compile in another way.
    execArgv: ["--import", "tsx"],
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    env: { ...process.env, MODEL_GATEWAY_API_KEY: address.apiKey, MODEL_GATEWAY_BASE_URL: address.baseURL },
  });
  const ended = new Promise<void>((resolve) => app.once("exit", () => resolve()));
  const submitted = new Promise<boolean>((resolve) => app.once("message", () => resolve(true)));
  const hasSubmitted = await Promise.race([submitted, ended.then(() => false)]);
  app.kill("SIGKILL");
  await ended;
  expectThat(hasSubmitted, "an application that submits a video");
}

function paidVideos(emulator: Emulator): number {
  return emulator.journal.list({ method: "POST", path: "/videos" }).length;
}
