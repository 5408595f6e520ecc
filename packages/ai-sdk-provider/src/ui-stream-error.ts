import { GatewayError } from "@model-gateway/core/errors";

/** An answer ended with an `error` chunk, whose text is meant for the page. */
export class UIStreamError extends GatewayError {
  static readonly NAME = "UIStreamError";
  override readonly name = UIStreamError.NAME;
  readonly kind = "api";

  constructor(errorText: string) {
    super(errorText, { maybeProcessed: true });
  }
}
