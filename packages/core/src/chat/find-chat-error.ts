import { isErrorEnvelope, isErrorValue } from "../errors/read-error-body.js";
import { readObject } from "../json/read-json-value.js";

/** What a choice says that ended by an error of the model behind the gateway. */
const FAILED = "error";

/**
 * The error inside a chat answer or one of its events, in the form of an error body; undefined where there is none.
 * Unlike in the answers of other calls, an error beside an id, a model or choices is an error all the same.
 */
export function findChatError(answer: unknown): unknown {
  const body = readObject(answer);
  if (body === undefined) return undefined;
  const { error, choices } = body;
  if (isErrorValue(error)) return body;
  if (!Array.isArray(choices) || choices.length === 0) return isErrorEnvelope(body) ? body : undefined;
  for (const choice of choices) {
    const { error: own, finish_reason: finish } = readObject(choice) ?? {};
    if (isErrorValue(own)) return { ...body, error: own };
    if (finish === FAILED)
      return { ...body, error: { message: "the model failed while it answered", type: "server_error" } };
  }
  return undefined;
}
