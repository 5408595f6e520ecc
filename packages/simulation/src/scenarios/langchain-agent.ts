import { ToolMessage } from "@langchain/core/messages";
import { GatewayError, ModelGateway } from "@model-gateway/core";
import type { World } from "@model-gateway/emulator/simulation";
import { ChatModelGateway } from "@model-gateway/langchain";
import { ModelGatewayToolkit } from "@model-gateway/langchain/tools";
import { createAgent, toolRetryMiddleware } from "langchain";

/** What a tool message says of a call that worked, or failed. */
interface ToolArtifact {
  images?: unknown[];
  maybeBilled?: boolean;
}

/** Agents that make pictures with a tool, which LangChain's own middleware calls again: a picture is paid once. */
export async function langchainAgent(world: World): Promise<void> {
  const { apiKey, baseURL, fetch } = world;
  const gateway = new ModelGateway({ apiKey, baseURL, fetch });
  const { tools } = new ModelGatewayToolkit({ gateway, models: { image: "local-image" } });
  const retries = world.count("tool retries", 0, 3);
  const agent = createAgent({
    model: new ChatModelGateway({ model: "local-chat", gateway, maxRetries: 2 }),
    tools,
    middleware: retries > 0 ? [toolRetryMiddleware({ maxRetries: retries, initialDelayMs: 500 })] : [],
  });
  const users = Array.from({ length: world.count("users", 1, 3) }, async (_, index) => {
    await world.sleep(world.random(`start ${index}`)() * 1_000);
    const picture = `picture ${index}`;
    const ask = async () => {
      const { messages } = await agent.invoke({
        messages: [{ role: "user", content: "Generate an image of a red fox." }],
      });
      const results = messages.filter((message) => ToolMessage.isInstance(message));
      if (results.length === 0) throw new NothingBought("the model called no tool");
      const artifacts = results.map(({ artifact }) => (artifact ?? {}) as ToolArtifact);
      if (artifacts.some(({ images }) => images !== undefined)) return;
      const mayBePaid = artifacts.some(({ maybeBilled }) => maybeBilled === true);
      throw new NothingBought(`the tool failed${mayBePaid ? ", may be paid" : ""}`, mayBePaid);
    };
    const told = await world.intend(picture, ask, { endpoint: "/images/generations" }).then(
      () => "done",
      (error: unknown) => {
        if (error instanceof NothingBought) return error.message;
        const { cause = error } = error as Error;
        if (GatewayError.isInstance(cause)) return cause.kind;
        throw error;
      },
    );
    world.trace.add("user", `${picture}: ${told}`);
  });
  await Promise.all(users);
}

/** What a user is told who gets no picture. */
class NothingBought extends Error {
  constructor(
    message: string,
    readonly maybeProcessed = false,
  ) {
    super(message);
  }
}
