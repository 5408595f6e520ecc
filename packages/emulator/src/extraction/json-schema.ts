import { isRecord } from "../json/is-record.js";

/** A JSON schema as a client sent it: anything may be missing or of the wrong type. */
export type JSONSchema = Readonly<Record<string, unknown>>;

const MOST_REFERENCES = 16;

/** The schema behind `$ref` (within the same document) with its `allOf` parts merged in. */
export function resolveSchema(schema: unknown, root: JSONSchema): JSONSchema {
  const resolved = followReferences(schema, root);
  const parts = resolved["allOf"];
  if (!Array.isArray(parts)) return resolved;
  // One level: a part that is itself made of parts is merged where it is used.
  return parts
    .slice(0, MOST_REFERENCES)
    .reduce<JSONSchema>((merged, part) => mergeSchemas(merged, followReferences(part, root)), {
      ...resolved,
      allOf: undefined,
    });
}

function followReferences(schema: unknown, root: JSONSchema): JSONSchema {
  let current: JSONSchema = isRecord(schema) ? schema : {};
  for (let hops = 0; hops < MOST_REFERENCES && typeof current["$ref"] === "string"; hops++) {
    const { $ref: reference, ...siblings } = current;
    current = { ...lookUp(String(reference), root), ...siblings };
  }
  return current;
}

/** One schema that asks for what both ask for; where they name the same member, the second counts. */
export function mergeSchemas(left: JSONSchema, right: JSONSchema): JSONSchema {
  const merged: Record<string, unknown> = { ...left, ...right };
  if (isRecord(left["properties"]) && isRecord(right["properties"])) {
    merged["properties"] = { ...left["properties"], ...right["properties"] };
  }
  const required = [...asArray(left["required"]), ...asArray(right["required"])];
  if (required.length > 0) merged["required"] = required;
  return merged;
}

/** Follows a JSON pointer of the form `#/$defs/Name`. */
function lookUp(reference: string, root: JSONSchema): JSONSchema {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return {};
  let current: unknown = root;
  for (const step of reference.slice(2).split("/")) {
    const key = decodeStep(step);
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return {};
    current = (current as Record<string, unknown>)[key];
  }
  return isRecord(current) ? current : {};
}

function decodeStep(step: string): string {
  const unescaped = step.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(unescaped);
  } catch {
    return unescaped;
  }
}

export type SchemaType = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

/** The type to make a value of: the declared one (the first that is not null), or the one its members imply. */
export function typeOf(schema: JSONSchema): SchemaType {
  const declared = schema["type"];
  const types: unknown[] = Array.isArray(declared) ? declared : [declared];
  const type = types.find((candidate) => candidate !== "null" && isSchemaType(candidate));
  if (isSchemaType(type)) return type;
  if (types.includes("null")) return "null";
  if (isRecord(schema["properties"]) || isRecord(schema["additionalProperties"])) return "object";
  if (schema["items"] !== undefined || schema["prefixItems"] !== undefined) return "array";
  if (schema["minimum"] !== undefined || schema["maximum"] !== undefined) return "number";
  return "string";
}

function isSchemaType(value: unknown): value is SchemaType {
  return ["object", "array", "string", "number", "integer", "boolean", "null"].includes(String(value));
}

/** Whether null is among the types the schema allows. */
export function allowsNull(schema: JSONSchema): boolean {
  const declared = schema["type"];
  return (
    declared === "null" ||
    (Array.isArray(declared) && declared.includes("null")) ||
    schema["nullable"] === true
  );
}

export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function asString(value: unknown): string {
  return typeof value === "string" ? value : "";
}
