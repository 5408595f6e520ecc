import { APIError, BadRequestError } from "../errors/api-error.js";

/** The gateway says that what was sent is wrong: too much of it, or some of it. */
export function isRefusal(error: unknown): error is APIError {
  return BadRequestError.isInstance(error) || (APIError.isInstance(error) && error.status === 413);
}
