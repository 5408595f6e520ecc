import { mkdir, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { createModelGateway } from "@model-gateway/ai-sdk-provider";
import { ModelGateway } from "@model-gateway/core";
import { createEmulator } from "@model-gateway/emulator";
import { closeMedia } from "@model-gateway/emulator-media";
import Table from "cli-table3";
import { answerFromDocuments } from "./answer-from-documents.js";
import { askAgentForImage } from "./ask-agent-for-image.js";
import { drawImage, speakAnswer } from "./draw-and-speak.js";
import { runStep, type Step, type StepReport } from "./step.js";
import { streamAnswerWithTools, streamObject } from "./stream-with-tools.js";
import { surviveCrash } from "./survive-crash.js";
import { watchVideo } from "./watch-video.js";

const example = join(dirname(fileURLToPath(import.meta.url)), "..");
const repository = join(example, "../..");
const output = join(example, "output");

await rm(output, { recursive: true, force: true });
await mkdir(output, { recursive: true });

const emulator = await createEmulator({ seed: 1 }).listen({ port: 0 });
console.log(`Emulator at ${emulator.url}: no account, no network, no cost.`);

const address = { apiKey: "sk-emulator", baseURL: emulator.url };
const gateway = new ModelGateway(address);
const modelGateway = createModelGateway(address);

const steps: Step[] = [
  {
    what: "Answer questions over the documentation",
    package: "langchain",
    run: () => answerFromDocuments(gateway, repository, output),
  },
  {
    what: "Ask a moderated agent for an image",
    package: "langchain",
    run: () => askAgentForImage(gateway, output),
  },
  {
    what: "Stream an answer that needs tools",
    package: "ai-sdk-provider",
    run: () => streamAnswerWithTools(modelGateway, output),
  },
  {
    what: "Stream an object from a letter",
    package: "ai-sdk-provider",
    run: () => streamObject(modelGateway, output),
  },
  { what: "Draw an image, streamed", package: "core", run: () => drawImage(gateway, output) },
  { what: "Speak an answer", package: "core", run: () => speakAnswer(gateway, output) },
  {
    what: "Make a video, status over SSE",
    package: "nestjs",
    run: () => watchVideo(gateway, address, output),
  },
  {
    what: "Bring a video home after a crash",
    package: "nestjs",
    run: () => surviveCrash(gateway, emulator, address, output),
  },
];

const reports: StepReport[] = [];
for (const step of steps) reports.push(await runStep(step));
await emulator.close();
await closeMedia();

const table = new Table({ head: ["what", "package", "time", "file", ""], style: { head: [], border: [] } });
for (const { what, package: name, seconds, file, ok } of reports) {
  table.push([what, name, `${seconds.toFixed(1)} s`, file, ok ? "ok" : "FAILED"]);
}
console.log(`\n${table.toString()}\n\nFiles are in ${relative(process.cwd(), output) || "."}/`);
if (reports.some(({ ok }) => !ok)) process.exitCode = 1;
