import { type ToolCall, ToolMessage } from "@langchain/core/messages";
import { DynamicStructuredTool, type ToolRunnableConfig } from "@langchain/core/tools";
import type { JSONSchema } from "@langchain/core/utils/json_schema";
import { GatewayError } from "@model-gateway/core";
import { toLangChainError } from "../map-error.js";
import { ModelGatewayToolError } from "./model-gateway-tool-error.js";

/**
 * A tool of this package. Called with its arguments it returns the sentence for the model; called with a tool
 * call, as agents do, it returns a `ToolMessage` with that sentence and the artifact.
 */
export type GatewayTool<Input, Name extends string = string, Event = never> = DynamicStructuredTool<
  JSONSchema,
  Input,
  Input,
  string,
  Event,
  Name
>;

/** What the model reads, and what the application gets. */
export type ContentAndArtifact<Artifact> = [content: string, artifact: Artifact];

/** A piece of work that is done at once, or one that yields its progress. */
type Work<Artifact, Event> =
  | Promise<ContentAndArtifact<Artifact>>
  | AsyncGenerator<Event, ContentAndArtifact<Artifact>>;

/** What every tool can be told. */
export interface ToolDescription {
  /** Replaces the description that the model reads. */
  description?: string;
}

interface GatewayToolDefinition<Input, Name extends string, Artifact, Event> {
  name: Name;
  description: string;
  schema: JSONSchema;
  run: (input: Input, signal: AbortSignal | undefined) => Work<Artifact, Event>;
}

/** Makes a tool whose failures reach the model as words and the application as data. */
export function createGatewayTool<Input, Name extends string, Artifact, Event = never>({
  run,
  ...definition
}: GatewayToolDefinition<Input, Name, Artifact, Event>): GatewayTool<Input, Name, Event> {
  return new DynamicStructuredTool<JSONSchema, Input, Input, string, Event, Name>({
    ...definition,
    responseFormat: "content_and_artifact",
    // LangChain takes the pair apart; what callers see is its first half, or a message made of both.
    func: ((input: Input, _runManager: unknown, config: ToolRunnableConfig = {}) => {
      const work = run(input, config.signal);
      return work instanceof Promise
        ? work.catch((error: unknown) => answerFailure(error, config))
        : watchWork(work, config);
    }) as unknown as DynamicStructuredTool<JSONSchema, Input, Input, string, Event, Name>["func"],
  });
}

async function* watchWork<Artifact, Event>(
  work: AsyncGenerator<Event, ContentAndArtifact<Artifact>>,
  config: ToolRunnableConfig,
) {
  try {
    return yield* work;
  } catch (error) {
    return answerFailure(error, config);
  }
}

/**
 * A failed tool call as a message that the model can act on. What is no failure of the gateway, such as an abort,
 * is thrown on, and so is everything when there is no tool call to answer.
 */
function answerFailure(error: unknown, { toolCall, signal }: ToolRunnableConfig): [ToolMessage, undefined] {
  const mapped = toLangChainError(error, signal);
  const failure = GatewayError.isInstance(mapped) ? ModelGatewayToolError.from(mapped) : mapped;
  const { id, name } = (toolCall ?? {}) as Partial<ToolCall>;
  if (!(failure instanceof ModelGatewayToolError) || id === undefined) throw failure;
  const { message: content, artifact } = failure;
  return [new ToolMessage({ status: "error", content, artifact, tool_call_id: id, name }), undefined];
}
