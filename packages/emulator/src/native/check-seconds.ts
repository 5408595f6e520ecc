import type { Field } from "../checks/field.js";

/** Reads whole seconds, as a number or as text. */
export function checkSeconds(field: Field, { min, max }: { min: number; max: number }): number | undefined {
  const { value } = field;
  const seconds = typeof value === "string" && /^\d{1,4}$/.test(value) ? Number(value) : value;
  if (typeof seconds === "number" && Number.isInteger(seconds) && seconds >= min && seconds <= max)
    return seconds;
  return field.refuse(`must be ${min} to ${max} seconds`);
}
