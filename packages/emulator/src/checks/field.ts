import { APIError } from "../http/api-error.js";
import { isRecord } from "../json/is-record.js";

/** Bounds of a number; both ends belong to the range. */
export interface NumberBounds {
  min?: number;
  max?: number;
}

const SHOWN_PROBLEMS = 5;
const SHOWN_VALUE_LENGTH = 60;

/**
 * A value of a request body together with its path, for checks that name the field they refuse.
 *
 * Every reader returns the typed value, or `undefined` after noting a problem, so that one pass over a body
 * finds all its problems. {@link Field.finish} turns them into one 400.
 */
export class Field {
  readonly path: string;
  readonly value: unknown;
  private readonly problems: string[];

  private constructor(path: string, value: unknown, problems: string[]) {
    this.path = path;
    this.value = value;
    this.problems = problems;
  }

  /** The body itself. Anything but a JSON object is refused at once: nothing else could be checked. */
  static body(value: unknown): Field {
    if (!isRecord(value)) {
      throw APIError.badRequest(`The request body must be a JSON object (got ${describe(value)}).`);
    }
    return new Field("", value, []);
  }

  get present(): boolean {
    return this.value !== undefined;
  }

  /** The member `key`; absent when this value is no object. */
  get(key: string): Field {
    const value = isRecord(this.value) && Object.hasOwn(this.value, key) ? this.value[key] : undefined;
    return new Field(this.path === "" ? key : `${this.path}.${key}`, value, this.problems);
  }

  /** The member `key` with `null` read as absent, as clients of the chat wire format send it. */
  getNullable(key: string): Field {
    const field = this.get(key);
    return field.value === null ? new Field(field.path, undefined, this.problems) : field;
  }

  /** Notes a problem, as a phrase that follows the field's name: `must be …`. */
  refuse(phrase: string): undefined {
    this.problems.push(`${this.path || "The request body"} ${phrase}`);
    return undefined;
  }

  /** Notes that the value is not of the form the phrase asks for, or that it is missing. */
  private mismatch(phrase: string): undefined {
    return this.present
      ? this.refuse(`must be ${phrase} (got ${describe(this.value)})`)
      : this.refuse(`is required and must be ${phrase}`);
  }

  string(): string | undefined {
    return typeof this.value === "string" ? this.value : this.mismatch("a string");
  }

  nonEmptyString(): string | undefined {
    const text = this.string();
    return text?.trim() === "" ? this.refuse("must not be empty") : text;
  }

  boolean(): boolean | undefined {
    return typeof this.value === "boolean" ? this.value : this.mismatch("a boolean");
  }

  number(bounds: NumberBounds = {}): number | undefined {
    const { value } = this;
    return typeof value === "number" && Number.isFinite(value) && within(value, bounds)
      ? value
      : this.mismatch(`a number${describeBounds(bounds)}`);
  }

  integer(bounds: NumberBounds = {}): number | undefined {
    const { value } = this;
    return typeof value === "number" && Number.isSafeInteger(value) && within(value, bounds)
      ? value
      : this.mismatch(`an integer${describeBounds(bounds)}`);
  }

  oneOf<const T extends string>(allowed: readonly T[]): T | undefined {
    const found = allowed.find((candidate) => candidate === this.value);
    const quoted = allowed.map((value) => `"${value}"`).join(", ");
    return found ?? this.mismatch(allowed.length > 1 ? `one of ${quoted}` : quoted);
  }

  object(): Record<string, unknown> | undefined {
    return isRecord(this.value) ? this.value : this.mismatch("an object");
  }

  /** The items of an array, each a field of its own. */
  items(what = "an array"): Field[] | undefined {
    if (!Array.isArray(this.value)) return this.mismatch(what);
    return this.value.map((item, index) => new Field(`${this.path}[${index}]`, item, this.problems));
  }

  nonEmptyItems(what = "a non-empty array"): Field[] | undefined {
    const items = this.items(what);
    return items?.length === 0 ? this.mismatch(what) : items;
  }

  /** Reads the field only when it is there: `field.optional((f) => f.boolean())`. */
  optional<T>(read: (field: Field) => T | undefined): T | undefined {
    return this.present ? read(this) : undefined;
  }

  /** What was noted so far of the whole body, each beginning with the path of its field. */
  get noted(): readonly string[] {
    return this.problems;
  }

  /** Throws one 400 that names the first problem and lists the others; does nothing when there is none. */
  finish(): void {
    const [first, ...others] = this.problems;
    if (first === undefined) return;
    const shown = others.slice(0, SHOWN_PROBLEMS - 1);
    const hidden = others.length - shown.length;
    const rest =
      shown.length === 0 ? "" : ` Also: ${shown.join("; ")}${hidden > 0 ? `; and ${hidden} more` : ""}.`;
    throw APIError.badRequest(`${first}.${rest}`);
  }
}

function within(
  value: number,
  { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: NumberBounds,
) {
  return value >= min && value <= max;
}

function describeBounds({ min, max }: NumberBounds): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max === undefined ? "" : ` of at most ${max}`;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : "an array";
  if (typeof value === "object") return "an object";
  if (typeof value !== "string") return String(value);
  return JSON.stringify(value.length > SHOWN_VALUE_LENGTH ? `${value.slice(0, SHOWN_VALUE_LENGTH)}…` : value);
}
