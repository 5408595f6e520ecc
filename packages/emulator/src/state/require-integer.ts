import { Refusal } from "./refusal.js";

/** @param what as a sentence begins: `times of a fault`. @throws TypeError unless it is an integer of the range, or absent */
export function requireInteger(
  what: string,
  value: number | undefined,
  min: number,
  max = 2 ** 31 - 1,
): void {
  if (value !== undefined && !(Number.isInteger(value) && value >= min && value <= max)) {
    throw new Refusal(`${what} must be an integer from ${min} to ${max} (got ${value}).`);
  }
}
