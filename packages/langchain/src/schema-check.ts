import { Validator } from "@langchain/core/utils/json_schema";
import { isSerializableSchema } from "@langchain/core/utils/standard_schema";
import { interopSafeParseAsync, isInteropZodSchema } from "@langchain/core/utils/types";
import { ConfigurationError } from "@model-gateway/core";

/** The value as the schema gives it out (with defaults and transforms), or what is wrong with it. */
export type SchemaCheckResult<T> = { value: T } | { problem: string };

export type SchemaCheck<T> = (value: unknown) => Promise<SchemaCheckResult<T>>;

type Dialect = "4" | "7" | "2019-09" | "2020-12";

const DIALECTS: ReadonlyArray<[mark: string, dialect: Dialect]> = [
  ["draft-04", "4"],
  ["draft-06", "7"],
  ["draft-07", "7"],
  ["2019-09", "2019-09"],
];

/**
 * Makes the check of a schema: Zod and Standard Schemas check themselves, a JSON Schema is checked by the validator
 * that LangChain's core brings, which needs no code generation and so runs on edge runtimes.
 *
 * @param jsonSchema what a plain JSON Schema is checked by
 */
export function createSchemaCheck<T>(schema: object, jsonSchema: Record<string, unknown>): SchemaCheck<T> {
  if (isInteropZodSchema(schema)) {
    return async (value) => {
      const result = await interopSafeParseAsync(schema, value);
      if (result.success) return { value: result.data as T };
      return { problem: JSON.stringify(result.error?.issues) };
    };
  }
  if (isSerializableSchema(schema)) {
    return async (value) => {
      const result = await schema["~standard"].validate(value);
      return result.issues === undefined
        ? { value: result.value as T }
        : { problem: JSON.stringify(result.issues) };
    };
  }
  const validator = new Validator(jsonSchema, dialectOf(jsonSchema), false);
  return async (value) => {
    const { valid, errors } = runValidator(validator, value);
    if (valid) return { value: value as T };
    return {
      problem: errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`).join(" "),
    };
  };
}

function runValidator(validator: Validator, value: unknown) {
  try {
    return validator.validate(value);
  } catch (error) {
    throw new ConfigurationError(`The JSON Schema cannot be checked: ${(error as Error).message}`);
  }
}

function dialectOf({ $schema: dialect }: Record<string, unknown>): Dialect {
  return DIALECTS.find(([mark]) => String(dialect).includes(mark))?.[1] ?? "2020-12";
}
