import { InvalidRequestError, type RequestProblem } from "../errors/errors.js";

/** Collects what is wrong with a request body, so that all of it can be reported at once. */
export class Checker {
  readonly #problems: RequestProblem[] = [];
  readonly #body: Record<string, unknown>;

  constructor(body: object) {
    if (typeof body !== "object" || body === null) {
      throw new InvalidRequestError([{ field: "body", message: "must be an object", value: body }]);
    }
    this.#body = body as Record<string, unknown>;
  }

  add(field: string, message: string, value?: unknown): void {
    this.#problems.push({ field, message, value });
  }

  requiredString(field: string): void {
    const value = this.#body[field];
    if (typeof value !== "string" || value === "")
      this.add(field, "is required and must be a non-empty string", value);
  }

  requiredArray(field: string): void {
    const value = this.#body[field];
    if (!Array.isArray(value) || value.length === 0)
      this.add(field, "is required and must be a non-empty array", value);
  }

  numberBetween(field: string, min: number, max: number): void {
    const value = this.#body[field];
    if (value === undefined || value === null) return;
    if (typeof value !== "number" || !(value >= min && value <= max)) {
      this.add(field, `must be a number from ${min} to ${max}, and not ${shown(value)}`, value);
    }
  }

  integerFrom(field: string, min: number): void {
    const value = this.#body[field];
    if (value === undefined || value === null) return;
    if (!Number.isInteger(value) || (value as number) < min) {
      this.add(field, `must be a whole number from ${min}, and not ${shown(value)}`, value);
    }
  }

  throwIfAny(): void {
    if (this.#problems.length > 0) throw new InvalidRequestError(this.#problems);
  }
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
