import type { ModerationVerdict } from "@model-gateway/core";
import type { ModerationStage } from "./moderation-violation.js";

const MARKER = Symbol.for("@model-gateway/langchain.error.ModelGatewayModerationError");

/** Moderation stopped a message, and the middleware was told to throw (`onFlag: "error"`): the agent's run rejects. */
export class ModelGatewayModerationError extends Error {
  override readonly name = "ModelGatewayModerationError";
  /** What was stopped: a user's message, the model's, or a tool's. */
  readonly stage: ModerationStage;
  readonly verdict: ModerationVerdict;
  /** Id of the message in the agent's state. */
  readonly messageId: string | undefined;

  constructor(
    message: string,
    details: { stage: ModerationStage; verdict: ModerationVerdict; messageId: string | undefined },
  ) {
    super(message);
    this.stage = details.stage;
    this.verdict = details.verdict;
    this.messageId = details.messageId;
    Object.defineProperty(this, MARKER, { value: true });
  }

  /** Recognises the error across copies of this package. */
  static isInstance(error: unknown): error is ModelGatewayModerationError {
    return typeof error === "object" && error !== null && MARKER in error;
  }
}
