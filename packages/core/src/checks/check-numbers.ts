import { ConfigurationError } from "../errors/errors.js";

/** Durations are milliseconds above zero. */
export function checkDuration(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (typeof value === "number" && value > 0)) return value;
  throw new ConfigurationError(
    `Option ${option} must be a number of milliseconds above 0, and not ${String(value)}.`,
    { option },
  );
}

/** Rates are numbers above zero. */
export function checkRate(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (typeof value === "number" && value > 0)) return value;
  throw new ConfigurationError(`Option ${option} must be a number above 0, and not ${String(value)}.`, {
    option,
  });
}

/** Counts are whole numbers from zero. */
export function checkCount(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= 0)) return value;
  throw new ConfigurationError(`Option ${option} must be a whole number from 0, and not ${String(value)}.`, {
    option,
  });
}
