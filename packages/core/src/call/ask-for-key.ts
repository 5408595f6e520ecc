import { checkAPIKey } from "../checks/check-api-key.js";
import { ConfigurationError } from "../errors/errors.js";
import { type ErrorContext, errorFromFailure } from "./call-errors.js";
import { OUT_OF_TIME, within } from "./delay.js";
import { mayHaveBeenBilled } from "./retry-policy.js";

interface Patience {
  context: ErrorContext;
  /** Longest wait for the key, in milliseconds. */
  waitMs: number;
  signal: AbortSignal | undefined;
}

/**
 * Asks the caller's function for the key, and does not wait for ever. A key that cannot be had now may be had later;
 * what earlier attempts did is not undone by it.
 *
 * @throws ConfigurationError when the function fails, takes too long or gives no key; APIUserAbortError on abort
 */
export async function askForKey(
  source: () => string | Promise<string>,
  { context, waitMs, signal }: Patience,
): Promise<string> {
  const { call, timeline } = context;
  const maybeProcessed = mayHaveBeenBilled(call.cost, timeline);
  const fail = (what: string, cause?: unknown) =>
    new ConfigurationError(
      `The function given as option apiKey ${what}, so ${call.name} could not be sent.`,
      {
        cause,
        method: call.method,
        path: call.path,
        timeline,
        retryable: !maybeProcessed,
        maybeProcessed,
        option: "apiKey",
      },
    );
  let key: string;
  try {
    key = await within((async () => source())(), waitMs, signal);
  } catch (cause) {
    if (signal?.aborted)
      throw errorFromFailure({ kind: "aborted", cause: signal.reason, sent: false }, context);
    if (cause === OUT_OF_TIME) throw fail(`gave no key within ${Math.round(waitMs)} ms`);
    throw fail("failed (its error is the cause)", cause);
  }
  return String(checkAPIKey(key));
}
