import { isPublicURL } from "./check-url.js";
import type { Field } from "./field.js";

/** Reads the address that is told of a task's changes. */
export function checkCallbackURL(field: Field): string | undefined {
  const url = field.string();
  if (url === undefined) return undefined;
  return isPublicURL(url) ? url : field.refuse("must be an http or https URL");
}
