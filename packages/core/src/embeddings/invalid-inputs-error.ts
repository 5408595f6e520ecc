import {
  defineHidden,
  GatewayError,
  type GatewayErrorDetails,
  markErrorClass,
} from "../errors/gateway-error.js";
import type { EmbeddingResult } from "./embedding-types.js";

/** A text that the gateway refuses. */
export interface InvalidInput {
  /** Its position in `input`. */
  index: number;
  /** What the gateway said of it. */
  reason: string;
}

/** As many are listed in the message. */
const LISTED = 5;

/**
 * The gateway refuses some of the texts, and took the others: those are embedded, paid for once, and in `partial`. Send the call again
 * without the texts that are named. `cause` is the gateway's first refusal.
 */
export class InvalidInputsError extends GatewayError {
  readonly kind = "invalid_inputs";
  /** In the order of `input`; equal texts each. */
  readonly inputs: readonly InvalidInput[];
  /** The result without them: `data` tells by `index` which vector is whose. Not printed with the error. */
  declare readonly partial: EmbeddingResult;

  constructor(
    inputs: readonly InvalidInput[],
    partial: EmbeddingResult,
    total: number,
    details: GatewayErrorDetails = {},
  ) {
    const listed = inputs.slice(0, LISTED).map(({ index, reason }) => `input[${index}]: ${reason}`);
    const more = inputs.length - listed.length;
    super(
      `${inputs.length} of ${total} texts were refused. ${listed.join(" ")}${more > 0 ? ` And ${more} more, in error.inputs.` : ""} error.partial has the vectors of the others, which are paid for: ${partial.data.length}.`,
      details,
    );
    this.inputs = inputs;
    defineHidden(this, { partial });
  }

  declare static readonly isInstance: (error: unknown) => error is InvalidInputsError;
}
markErrorClass(InvalidInputsError, "InvalidInputsError");
