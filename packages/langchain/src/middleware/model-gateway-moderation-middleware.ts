import { AIMessage, type BaseMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import {
  GatewayError,
  type GatewayErrorKind,
  type ModelGateway,
  type ModerationStrategy,
  type ModerationVerdict,
} from "@model-gateway/core";
import { type AgentMiddleware, createMiddleware } from "langchain";
import { toLangChainError } from "../map-error.js";
import { ModelGatewayModerationError } from "./model-gateway-moderation-error.js";
import { moderatedText } from "./moderated-text.js";
import {
  describeViolation,
  type ModerationStage,
  type ModerationViolation,
  removeResults,
  replaceMessage,
} from "./moderation-violation.js";

/** Options of {@link modelGatewayModerationMiddleware}. */
export interface ModelGatewayModerationOptions {
  gateway: Pick<ModelGateway, "moderations">;
  /**
   * Who judges: `"endpoint"` asks `POST /moderations`, `"chat"` a chat model, `"auto"` (default) the endpoint, and a
   * chat model when the key has no moderation.
   */
  strategy?: ModerationStrategy;
  /** The model to ask: a moderation model for the endpoint, a chat model for `"chat"`. */
  model: string;
  /** The chat model, where it differs. Default: `model`. */
  chatModel?: string;
  /** Judge what users say, before the model sees it. Default true. */
  checkInput?: boolean;
  /** Judge what the model says and what it tells its tools, before they run. Default true. */
  checkOutput?: boolean;
  /** Judge what tools return, before the model sees it. Default false. */
  checkToolResults?: boolean;
  /**
   * What happens to a message that must not pass. `"end"` (default) puts `violationMessage` in its place and ends the
   * run with it as the answer; `"replace"` puts it in its place and goes on; `"error"` throws a
   * `ModelGatewayModerationError`.
   */
  onFlag?: "end" | "error" | "replace";
  /**
   * Decides about verdicts of action `review`; without it they block. It may ask a person through LangGraph's
   * `interrupt()`: on resuming, the message is judged anew.
   */
  review?: (violation: ModerationViolation) => "allow" | "block" | Promise<"allow" | "block">;
  /**
   * Let messages pass when moderation itself fails. Default false: the failure is thrown, and nothing passes.
   * Aborted calls and calls that can never work (wrong options, key or model) throw in any case.
   */
  failOpen?: boolean;
  /** Stands in for a message that must not pass. Default: what was stopped, and the categories. */
  violationMessage?: string | ((violation: ModerationViolation) => string);
}

/** Failures that are mistakes of the application and no outage. */
const MISTAKES: ReadonlySet<GatewayErrorKind> = new Set<GatewayErrorKind>([
  "aborted",
  "configuration",
  "invalid_request",
  "authentication",
  "not_found",
]);

/**
 * Middleware for `createAgent` that judges messages by `gateway.moderations.classify`. A prompt that is stopped with
 * `onFlag: "end"` or `"error"` never reaches the model, in later turns neither.
 *
 * All messages since the model's last answer are judged before it is called, and every answer before its tools run.
 * Only texts are: images and files are not. An answer that is streamed to a user is judged when it is complete.
 *
 * The agent's run rejects with a `ModelGatewayModerationError` (`onFlag: "error"`), or with the gateway's error when
 * moderation fails and `failOpen` is off.
 */
export function modelGatewayModerationMiddleware(options: ModelGatewayModerationOptions): AgentMiddleware {
  const { checkInput = true, checkOutput = true, checkToolResults = false, onFlag = "end" } = options;

  async function findViolations(
    messages: readonly BaseMessage[],
    stageOf: (message: BaseMessage) => ModerationStage | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ModerationViolation[]> {
    const judged = await Promise.all(
      messages.map(async (message) => {
        const stage = stageOf(message);
        const verdict = stage && (await judge(options, moderatedText(message), signal));
        return verdict && { stage, message, verdict };
      }),
    );
    const violations: ModerationViolation[] = [];
    // One after the other: a review may interrupt the run, and resumes in the same order.
    for (const found of judged) {
      if (found !== undefined && (await mustStop(options, found))) violations.push(found);
    }
    return violations;
  }

  function stop(violations: readonly ModerationViolation[], leftOver: readonly BaseMessage[] = []) {
    const [first] = violations;
    if (first === undefined) return undefined;
    const reason = wordsFor(options, first);
    if (onFlag === "error") {
      const { stage, verdict, message } = first;
      throw new ModelGatewayModerationError(reason, { stage, verdict, messageId: message.id });
    }
    const messages: BaseMessage[] = [
      ...violations.map((violation) => replaceMessage(violation, wordsFor(options, violation))),
      ...removeResults(leftOver),
    ];
    if (onFlag === "replace") return { messages };
    // An answer that was stopped is itself the last word now.
    if (first.stage !== "output") messages.push(new AIMessage(reason));
    return { messages, jumpTo: "end" as const };
  }

  return createMiddleware({
    name: "ModelGatewayModerationMiddleware",
    beforeModel: {
      canJumpTo: ["end"],
      hook: async ({ messages }, { signal }) => {
        const fresh = messages.slice(messages.findLastIndex((message) => AIMessage.isInstance(message)) + 1);
        const stageOf = (message: BaseMessage) => {
          if (ToolMessage.isInstance(message)) return checkToolResults ? "tool" : undefined;
          return checkInput && !SystemMessage.isInstance(message) ? "input" : undefined;
        };
        return stop(await findViolations(fresh, stageOf, signal));
      },
    },
    afterModel: {
      canJumpTo: ["end"],
      hook: async ({ messages }, { signal }) => {
        const position = messages.findLastIndex((message) => AIMessage.isInstance(message));
        const answer = messages[position];
        if (!checkOutput || answer === undefined) return undefined;
        const update = stop(
          await findViolations([answer], () => "output", signal),
          messages.slice(position + 1),
        );
        // An object that was read from the answer must not pass either.
        return update && { ...update, structuredResponse: undefined };
      },
    },
  });
}

/** @returns undefined when there is nothing to judge, or when moderation failed and that is to be overlooked */
async function judge(
  { gateway, strategy, model, chatModel, failOpen = false }: ModelGatewayModerationOptions,
  text: string,
  signal: AbortSignal | undefined,
): Promise<ModerationVerdict | undefined> {
  if (text === "") return undefined;
  try {
    return await gateway.moderations.classify(text, { strategy, model, chatModel, signal });
  } catch (error) {
    if (failOpen && GatewayError.isInstance(error) && !MISTAKES.has(error.kind)) return undefined;
    throw toLangChainError(error, signal);
  }
}

async function mustStop(
  { review }: ModelGatewayModerationOptions,
  violation: ModerationViolation,
): Promise<boolean> {
  const { action } = violation.verdict;
  if (action !== "review") return action !== "allow";
  return review === undefined || (await review(violation)) !== "allow";
}

function wordsFor(
  { violationMessage = describeViolation }: ModelGatewayModerationOptions,
  violation: ModerationViolation,
): string {
  return typeof violationMessage === "string" ? violationMessage : violationMessage(violation);
}
