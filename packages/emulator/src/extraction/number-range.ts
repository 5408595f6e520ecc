import { asNumber, type JSONSchema, typeOf } from "./json-schema.js";

const SMALL_STEP = 1e-6;

/** Bounds that a number has to keep; both ends belong to the range. */
export interface NumberRange {
  min: number;
  max: number;
  integer: boolean;
}

/** The range that a number schema allows. */
export function rangeOf(schema: JSONSchema): NumberRange {
  const integer = typeOf(schema) === "integer";
  const above = asNumber(schema["exclusiveMinimum"]);
  const below = asNumber(schema["exclusiveMaximum"]);
  const mins = [asNumber(schema["minimum"]), above === undefined ? undefined : next(above, 1, integer)];
  const maxs = [asNumber(schema["maximum"]), below === undefined ? undefined : next(below, -1, integer)];
  const min = Math.max(...mins.map((bound) => bound ?? Number.NEGATIVE_INFINITY));
  const max = Math.min(...maxs.map((bound) => bound ?? Number.POSITIVE_INFINITY));
  return { min: integer ? Math.ceil(min) : min, max: integer ? Math.floor(max) : max, integer };
}

/** The first number past an excluded bound. */
function next(bound: number, direction: 1 | -1, integer: boolean): number {
  if (!integer) return bound + direction * SMALL_STEP;
  return direction === 1 ? Math.floor(bound) + 1 : Math.ceil(bound) - 1;
}

/** The nearest multiple that the schema asks for, within its bounds. */
export function toStep(value: number, schema: JSONSchema): number {
  const step = asNumber(schema["multipleOf"]);
  if (step === undefined || step <= 0) return value;
  const { min, max } = rangeOf(schema);
  const nearest = Math.round(value / step) * step;
  if (nearest < min) return Math.ceil(min / step) * step;
  return nearest > max ? Math.floor(max / step) * step : nearest;
}
