import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
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
    const told = await world
      .intend(picture, () => ask(agent), { endpoint: "/images/generations" })
      .then(
        () => "done",
        (error: unknown) => {
          if (error instanceof NothingBought) return error.message;
          throw error;
        },
      );
    world.trace.add("user", `${picture}: ${told}`);
  });
  await Promise.all(users);
}

type Agent = Pick<ReturnType<typeof createAgent>, "stream">;

/** Follows an agent, and has what its tools made also when it fails later. */
async function ask(agent: Agent): Promise<void> {
  let messages: BaseMessage[] = [];
  let failure = "";
  try {
    const request = { messages: [{ role: "user", content: "Generate an image of a red fox." }] };
    for await (const state of await agent.stream(request, { streamMode: "values" }))
      ({ messages } = state as { messages: BaseMessage[] });
  } catch (error) {
    const known = [error, (error as Error).cause].find((candidate) => GatewayError.isInstance(candidate));
    if (!GatewayError.isInstance(known)) throw error;
    failure = ` (${known.kind})`;
  }
  const results = messages.filter((message) => ToolMessage.isInstance(message));
  const artifacts = results.map(({ artifact }) => (artifact ?? {}) as ToolArtifact);
  if (artifacts.some(({ images }) => images !== undefined)) return;
  const mayBePaid = artifacts.some(({ maybeBilled }) => maybeBilled === true);
  throw new NothingBought(`${mayBePaid ? "may be paid" : "nothing"}${failure}`, mayBePaid);
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
