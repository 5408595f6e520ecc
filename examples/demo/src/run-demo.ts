import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createModelGateway } from "@model-gateway/ai-sdk-provider";
import { ModelGateway } from "@model-gateway/core";
import type { Emulator } from "@model-gateway/emulator";
import { answerFromDocuments } from "./answer-from-documents.js";
import { askAgentForImage } from "./ask-agent-for-image.js";
import { drawImage, speakAnswer } from "./draw-and-speak.js";
import { runStep, type Step, type StepReport } from "./step.js";
import { streamAnswerWithTools, streamObject } from "./stream-with-tools.js";
import { surviveCrash } from "./survive-crash.js";
import { watchVideo } from "./watch-video.js";

const REPOSITORY = join(dirname(fileURLToPath(import.meta.url)), "../../..");

/** Runs every step against a gateway. @param output the folder for what they make */
export async function runDemo(emulator: Emulator, output: string): Promise<StepReport[]> {
  const address = { apiKey: "sk-emulator", baseURL: emulator.url };
  const gateway = new ModelGateway(address);
  const modelGateway = createModelGateway(address);

  const steps: Step[] = [
    {
      what: "Answer questions over the documentation",
      package: "langchain",
      run: () => answerFromDocuments(gateway, REPOSITORY, output),
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
  return reports;
}
