import { type ToolCall, ToolMessage } from "@langchain/core/messages";
import { DynamicStructuredTool, type ToolRunnableConfig } from "@langchain/core/tools";
import type { JSONSchema } from "@langchain/core/utils/json_schema";
import { GatewayError } from "@model-gateway/core";
import { toLangChainError } from "../map-error.js";
import { ModelGatewayToolError } from "./model-gateway-tool-error.js";
import { payOnce } from "./paid-call-memory.js";

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
  /**
   * Pay again when a retry or a fallback of LangChain calls again for the same tool call, or with the same arguments
   * object after a failure that may have been billed. Default false: the first result, or the first error, counts.
   */
  retryBillable?: boolean;
  /** Who the calls are for: with a `budget` per tag, what is spent for them is counted apart. */
  budgetTag?: string;
}

interface GatewayToolDefinition<Input extends object, Name extends string, Artifact, Event> {
  name: Name;
  description: string;
  schema: JSONSchema;
  retryBillable: boolean | undefined;
  run: (input: Input, signal: AbortSignal | undefined) => Work<Artifact, Event>;
}

/** Makes a tool that pays once, and whose failures reach the model as words and the application as data. */
export function createGatewayTool<Input extends object, Name extends string, Artifact, Event = never>({
  run,
  retryBillable = false,
  ...definition
}: GatewayToolDefinition<Input, Name, Artifact, Event>): GatewayTool<Input, Name, Event> {
  return new DynamicStructuredTool<JSONSchema, Input, Input, string, Event, Name>({
    ...definition,
    responseFormat: "content_and_artifact",
    // LangChain takes the pair apart; what callers see is its first half, or a message made of both.
    func: ((input: Input, _runManager: unknown, config: ToolRunnableConfig = {}) => {
      let watched: AsyncGenerator<Event, ContentAndArtifact<Artifact>> | undefined;
      const start = () => {
        const work = run(input, config.signal);
        if (work instanceof Promise) return work;
        const outcome = new Outcome<ContentAndArtifact<Artifact>>();
        watched = outcome.of(work);
        return outcome.promise;
      };
      const result = retryBillable ? start() : payOnce(input, config, start);
      return watched === undefined
        ? result.catch((error: unknown) => answerFailure(error, config))
        : watchWork(watched, config);
    }) as unknown as DynamicStructuredTool<JSONSchema, Input, Input, string, Event, Name>["func"],
  });
}

/** The end of a piece of work that yields its progress, for whoever asks for the same. */
class Outcome<Result> {
  readonly promise: Promise<Result>;
  private resolve!: (result: Result) => void;
  private reject!: (error: unknown) => void;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // The one who does the work is told by the work itself.
    this.promise.catch(() => {});
  }

  async *of<Event>(work: AsyncGenerator<Event, Result>): AsyncGenerator<Event, Result> {
    try {
      const result = yield* work;
      this.resolve(result);
      return result;
    } catch (error) {
      this.reject(error);
      throw error;
    }
  }
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
