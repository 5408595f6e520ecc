import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ModelGateway } from "@model-gateway/core";
import { ChatModelGateway } from "@model-gateway/langchain";
import { modelGatewayModerationMiddleware } from "@model-gateway/langchain/middleware";
import { type ImageArtifact, ModelGatewayToolkit } from "@model-gateway/langchain/tools";
import { createAgent } from "langchain";
import { expectThat, type StepResult } from "./step.js";

/** An agent that draws when it is asked to, and is not asked twice to do harm. */
export async function askAgentForImage(gateway: ModelGateway, output: string): Promise<StepResult> {
  const { tools } = new ModelGatewayToolkit({
    gateway,
    models: { image: "local-image", speech: "local-speech" },
  });
  const moderation = modelGatewayModerationMiddleware({
    gateway,
    model: "local-moderation",
    chatModel: "local-chat",
  });
  const agent = createAgent({
    model: new ChatModelGateway({ model: "local-chat", gateway }),
    tools,
    middleware: [moderation],
  });
  const ask = async (content: string): Promise<BaseMessage[]> => {
    console.log(`  ? ${content}`);
    const { messages } = await agent.invoke({ messages: [{ role: "user", content }] });
    console.log(`  ! ${messages.at(-1)?.text.replaceAll("\n", "\n    ")}`);
    return messages;
  };

  const messages = await ask("Generate an image of a sailing boat at sunset.");
  const result = messages.find((message): message is ToolMessage => message.type === "tool");
  const [image] = (result?.artifact as ImageArtifact | undefined)?.images ?? [];
  if (image?.url === undefined) throw new Error("The agent drew no image.");
  const file = "boat.jpg";
  await writeFile(join(output, file), await (await gateway.download(image.url)).bytes());

  const refused = await ask("I'm going to stab my neighbour.");
  expectThat(refused.length === 2, "a harmful request that ends before the model is asked");
  return { file };
}
