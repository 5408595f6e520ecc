import type { Field } from "../checks/field.js";

/**
 * Reads the entries of a part one by one; a part that is not there has none. Problems are noted at the entries, also
 * what `put` throws as a TypeError.
 */
export function loadPart<T>(
  state: Field,
  part: string,
  read: (entry: Field) => T | undefined,
  put: (value: T) => void,
): void {
  for (const entry of state.get(part).optional((field) => field.items()) ?? []) {
    const known = entry.noted.length;
    const value = read(entry);
    if (value === undefined || entry.noted.length > known) continue;
    try {
      put(value);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      entry.refuse(`makes no sense: ${error.message.replace(/\.$/, "")}`);
    }
  }
}
