import { stampRetryable } from "@langchain/core/errors";
import type { GatewayError, GatewayErrorKind, VideoTaskHandle } from "@model-gateway/core";

/** What {@link ModelGatewayToolError} is made from. */
export interface ToolErrorDetails {
  /** A paid call may have been carried out, so calling again may pay twice. */
  maybeBilled: boolean;
  cause?: GatewayError;
}

/** What the artifact of a failed tool call tells the application. Plain JSON. */
export interface ToolErrorArtifact {
  type: "error";
  message: string;
  maybeBilled: boolean;
  retryable: boolean;
  kind?: GatewayErrorKind;
  requestId?: string;
  /** The video task that was created before the failure: resume it with `gateway.videos.watch`. */
  handle?: VideoTaskHandle;
}

const ARGUMENTS = "Change the arguments and call the tool again.";
const LATER = "Trying again later may help.";
const OPERATOR =
  "Calling again will not help: tell the user that this needs the operator of the application.";
const WATCHED_TASK =
  "The video task may still be going on and is billed as usual: do not create it again, tell the user.";
const FAILED_TASK = "It may have been billed. Another prompt may help: ask the user before calling again.";

const ADVICE: Partial<Record<GatewayErrorKind, string>> = {
  invalid_request: ARGUMENTS,
  bad_request: ARGUMENTS,
  configuration: OPERATOR,
  authentication: OPERATOR,
  permission_denied: OPERATOR,
  not_found: OPERATOR,
  rate_limit: LATER,
};

const MAYBE_BILLED = "It may have been carried out and billed: do not call again without asking the user.";
const NOT_BILLED = "Nothing was made or billed.";

/**
 * A tool could not do its work. The message tells the model what happened, what to do, and whether it may have
 * been billed. In an agent it arrives as a `ToolMessage` with `status: "error"`, whose artifact is
 * {@link ToolErrorArtifact}; a tool that is called directly throws it.
 */
export class ModelGatewayToolError extends Error {
  override readonly name = "ModelGatewayToolError";
  readonly maybeBilled: boolean;
  declare readonly cause?: GatewayError;

  constructor(message: string, { maybeBilled, cause }: ToolErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.maybeBilled = maybeBilled;
    if (maybeBilled) stampRetryable(this, false);
  }

  /** Puts an error of the gateway client into words for the model that called the tool. */
  static from(error: GatewayError): ModelGatewayToolError {
    const maybeBilled = error.maybeProcessed || error.handle !== undefined;
    return new ModelGatewayToolError(`${error.message} ${adviceFor(error)}`, { maybeBilled, cause: error });
  }

  get artifact(): ToolErrorArtifact {
    const { cause } = this;
    return {
      type: "error",
      message: this.message,
      maybeBilled: this.maybeBilled,
      retryable: cause?.retryable ?? false,
      ...(cause === undefined ? {} : { kind: cause.kind }),
      ...(cause?.requestId === undefined ? {} : { requestId: cause.requestId }),
      ...(cause?.handle === undefined ? {} : { handle: cause.handle }),
    };
  }
}

function adviceFor({ kind, handle, maybeProcessed }: GatewayError): string {
  if (kind === "video_task_failed") return FAILED_TASK;
  if (handle !== undefined) return WATCHED_TASK;
  return maybeProcessed ? MAYBE_BILLED : `${NOT_BILLED} ${ADVICE[kind] ?? LATER}`;
}
