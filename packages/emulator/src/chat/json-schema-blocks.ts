import { typeOf } from "../extraction/json-schema.js";
import { isRecord } from "../json/is-record.js";
import { findJSONBlocks, type JSONBlock } from "./find-json-blocks.js";

/** The JSON schemas of objects that stand in a text, in order. */
export function findSchemaBlocks(text: string): JSONBlock[] {
  return findJSONBlocks(text).filter(({ value }) => isObjectSchema(value));
}

/** The text without the JSON schemas in it. */
export function withoutSchemas(text: string): string {
  return findJSONBlocks(text)
    .filter(({ value }) => isObjectSchema(value) || (isRecord(value) && Object.hasOwn(value, "$schema")))
    .reduce((left, block) => left.replace(block.text, () => " "), text);
}

function isObjectSchema(value: unknown): boolean {
  return isRecord(value) && isRecord(value["properties"]) && typeOf(value) === "object";
}
