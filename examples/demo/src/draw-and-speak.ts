import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelGateway } from "@model-gateway/core";
import { expectThat, type StepResult } from "./step.js";

/** Makes an image, with the intermediate picture that a stream brings on the way. */
export async function drawImage(gateway: ModelGateway, output: string): Promise<StepResult> {
  const stream = await gateway.images.stream({
    model: "local-image-b64",
    prompt: "A lighthouse at dawn",
    size: "1536x1024",
    output_format: "png",
    partial_images: 1,
  });
  const file = "lighthouse.png";
  let size = 0;
  for await (const event of stream) {
    if (event.type === "partial") console.log(`  intermediate picture ${event.partialIndex + 1}`);
    if (event.type !== "completed") continue;
    const bytes = await event.image.bytes();
    size = bytes.length;
    await writeFile(join(output, file), bytes);
    console.log(`  ${event.image.mediaType}, ${Math.round(size / 1024)} KB`);
  }
  expectThat(size > 1_000, "an image of more than 1 KB");
  return { file };
}

/** Asks a question and has the answer spoken. */
export async function speakAnswer(gateway: ModelGateway, output: string): Promise<StepResult> {
  const { choices } = await gateway.chat.completions.create({
    model: "local-chat",
    messages: [{ role: "user", content: "What is 6 times 7?" }],
  });
  const answer = String(choices[0]?.message.content);
  const speech = await gateway.audio.speech.create({
    model: "local-speech",
    input: `The answer is: ${answer}`,
    voice: "alloy",
  });
  const bytes = await speech.bytes();
  console.log(`  "${answer}" as ${speech.contentType}, ${Math.round(bytes.length / 1024)} KB`);
  expectThat(
    speech.contentType.startsWith("audio/") && bytes.length > 1_000,
    "an audio file of more than 1 KB",
  );
  const file = "answer.mp3";
  await writeFile(join(output, file), bytes);
  return { file };
}
