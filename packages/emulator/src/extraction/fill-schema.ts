import { isRecord } from "../json/is-record.js";
import { fitLength, pickFormatted } from "./fit-string.js";
import {
  allowsNull,
  asArray,
  asNumber,
  asRecord,
  asString,
  type JSONSchema,
  mergeSchemas,
  resolveSchema,
  typeOf,
} from "./json-schema.js";
import { rangeOf, toStep } from "./number-range.js";
import { mentionedChoices, pickBoolean, pickChoice } from "./pick-choice.js";
import { pickStringList, textParts } from "./pick-list.js";
import { assignMoments, listMoments, type MomentWish, momentWish, presentMoment } from "./pick-moment.js";
import { pickString } from "./pick-string.js";
import { type PropertyHint, propertyHint } from "./property-hint.js";
import { TextSource } from "./text-source.js";

/** A value for a schema, and whether the text said so or the schema alone called for it. */
export interface FilledValue {
  value: unknown;
  found: boolean;
}

const DEEPEST = 8;
const MOST_ALTERNATIVES = 16;
const MOST_ITEMS = 100;
/** Properties that want a number nobody states. */
const CONFIDENCE = /confidence|probability|score|certainty/;
const ASSUMED_CONFIDENCE = 0.8;

/** Makes a value that is valid against the schema and says what the text says. */
export function fillSchema(schema: JSONSchema, source: TextSource): FilledValue {
  return new SchemaFiller(schema, source).fill(schema, propertyHint("", ""), 0);
}

class SchemaFiller {
  private readonly root: JSONSchema;
  private readonly source: TextSource;

  constructor(root: JSONSchema, source: TextSource) {
    this.root = root;
    this.source = source;
  }

  /** @param isRequired whether there has to be a value, even one that the text does not tell */
  fill(unresolved: unknown, hint: PropertyHint, depth: number, isRequired = true): FilledValue {
    const schema = resolveSchema(unresolved, this.root);
    if (schema["const"] !== undefined) return { value: schema["const"], found: false };
    if (!this.source.spend() || depth > DEEPEST) return { value: this.smallest(schema, depth), found: false };
    const options = asArray(schema["enum"]);
    const filled =
      options.length > 0
        ? pickChoice(options, this.source.text, hint)
        : this.fillType(schema, hint, depth, isRequired);
    return filled.found ? filled : withoutMention(filled, schema);
  }

  private fillType(schema: JSONSchema, hint: PropertyHint, depth: number, isRequired: boolean): FilledValue {
    const alternatives = asArray(schema["anyOf"] ?? schema["oneOf"]);
    if (alternatives.length > 0) return this.fillAlternative(schema, alternatives, hint, depth);
    switch (typeOf(schema)) {
      case "object":
        return this.fillObject(schema, depth);
      case "array":
        return this.fillArray(schema, hint, depth);
      case "boolean": {
        const value = pickBoolean(this.source.text, hint);
        return { value: value ?? false, found: value !== undefined };
      }
      case "number":
      case "integer":
        return this.fillNumber(schema, hint, isRequired);
      case "null":
        return { value: null, found: false };
      case "string":
        return this.fillString(schema, hint, isRequired);
    }
  }

  /** The alternative that the text has most to say for; null only when it has nothing to say at all. */
  private fillAlternative(
    schema: JSONSchema,
    alternatives: readonly unknown[],
    hint: PropertyHint,
    depth: number,
  ): FilledValue {
    const { anyOf: _anyOf, oneOf: _oneOf, ...shared } = schema;
    const candidates = alternatives
      .slice(0, MOST_ALTERNATIVES)
      .map((alternative) => mergeSchemas(shared, resolveSchema(alternative, this.root)));
    const nullable = candidates.some(
      (candidate) => typeOf(candidate) === "null" && candidate["enum"] === undefined,
    );
    let best: { candidate: JSONSchema; score: number } | undefined;
    for (const candidate of candidates) {
      if (typeOf(candidate) === "null") continue;
      const { found } = this.source.attempt(() => this.fill(candidate, hint, depth + 1));
      const score = (found ? 1 : 0) + 2 * this.namedBy(candidate);
      if (!best || score > best.score) best = { candidate, score };
    }
    if (best && (best.score > 0 || !nullable)) return this.fill(best.candidate, hint, depth + 1);
    return { value: null, found: false };
  }

  /** A constant that tells alternatives apart and stands in the text decides between them. */
  private namedBy(schema: JSONSchema): number {
    const constants = Object.values(asRecord(schema["properties"]))
      .map((property) => resolveSchema(property, this.root)["const"])
      .filter((constant) => constant !== undefined);
    return mentionedChoices(constants, this.source.text).length;
  }

  private fillObject(schema: JSONSchema, depth: number): FilledValue {
    const properties = asRecord(schema["properties"]);
    const required = new Set(asArray(schema["required"]).filter((name) => typeof name === "string"));
    const numbers = this.assignNumbers(properties);
    const moments = this.assignMoments(properties);
    const sizes = this.assignSizes(properties);
    const entries: [string, unknown][] = [];
    let found = false;
    for (const [name, property] of Object.entries(properties)) {
      const hint = propertyHint(name, asString(resolveSchema(property, this.root)["description"]));
      const number = sizes.get(name) ?? numbers.get(name);
      const filled =
        number === undefined
          ? (moments.get(name) ?? this.fill(property, hint, depth + 1, required.has(name)))
          : { value: number, found: true };
      if (!filled.found && !required.has(name)) continue;
      entries.push([name, filled.value]);
      found ||= filled.found;
    }
    for (const name of required) {
      if (Object.hasOwn(properties, name)) continue;
      const extra = isRecord(schema["additionalProperties"]) ? schema["additionalProperties"] : {};
      entries.push([name, this.fill(extra, propertyHint(name, ""), depth + 1).value]);
    }
    // fromEntries defines own members, so that a property called __proto__ stays one.
    return { value: Object.fromEntries(entries), found };
  }

  /** Numbers go to the properties they stand next to before any other property may take them. */
  private assignNumbers(properties: Readonly<Record<string, unknown>>): Map<string, number> {
    const assigned = new Map<string, number>();
    for (const [name, property] of Object.entries(properties)) {
      const schema = resolveSchema(property, this.root);
      const type = typeOf(schema);
      if (
        (type !== "number" && type !== "integer") ||
        schema["enum"] !== undefined ||
        schema["const"] !== undefined
      )
        continue;
      if (schema["anyOf"] !== undefined || schema["oneOf"] !== undefined) continue;
      const near = this.source.takeNumberNear(
        propertyHint(name, asString(schema["description"])),
        rangeOf(schema),
      );
      if (near !== undefined) assigned.set(name, toStep(near, schema));
    }
    return assigned;
  }

  /** Days and times are dealt out before any other property may take them, each to the property it is for. */
  private assignMoments(properties: Readonly<Record<string, unknown>>): Map<string, FilledValue> {
    const wishes: [name: string, wish: MomentWish, schema: JSONSchema][] = [];
    for (const [name, property] of Object.entries(properties)) {
      const schema = this.withoutNull(resolveSchema(property, this.root));
      const wish = momentWish(schema, propertyHint(name, asString(schema["description"])));
      if (wish) wishes.push([name, wish, schema]);
    }
    const found = assignMoments(
      wishes.map(([name, wish]) => [name, wish]),
      this.source,
    );
    const filled = new Map<string, FilledValue>();
    for (const [name, wish, schema] of wishes) {
      const value = found.get(name);
      // What an optional day is told by in other words is looked for as any other text.
      const isLoose = value === undefined && schema["format"] === undefined && !this.source.reading.isRequest;
      if (!isLoose)
        filled.set(name, this.momentOr(value, wish, schema, resolveSchema(properties[name], this.root)));
    }
    return filled;
  }

  private momentOr(
    value: string | undefined,
    wish: MomentWish,
    schema: JSONSchema,
    declared: JSONSchema = schema,
  ): FilledValue {
    if (value !== undefined) return { value, found: true };
    const absent = this.source.reading.isRequest
      ? presentMoment(wish, this.source)
      : (pickFormatted(schema, "")?.value ?? "");
    const nullable = asArray(declared["anyOf"] ?? declared["oneOf"]).some(
      (alternative) => asRecord(alternative)["type"] === "null",
    );
    return withoutMention({ value: nullable ? null : absent, found: false }, schema);
  }

  /** The one alternative to null of a schema that allows null. */
  private withoutNull(schema: JSONSchema): JSONSchema {
    const { anyOf, oneOf, ...shared } = schema;
    const others = asArray(anyOf ?? oneOf)
      .slice(0, MOST_ALTERNATIVES)
      .map((alternative) => resolveSchema(alternative, this.root))
      .filter((alternative) => typeOf(alternative) !== "null" || alternative["enum"] !== undefined);
    return others.length === 1 ? mergeSchemas(shared, others[0] ?? {}) : schema;
  }

  /** Width and height of the picture that came with the text. */
  private assignSizes(properties: Readonly<Record<string, unknown>>): Map<string, number> {
    const [size] = this.source.reading.imageSizes ?? [];
    const assigned = new Map<string, number>();
    if (size === undefined) return assigned;
    for (const [name, property] of Object.entries(properties)) {
      const type = typeOf(this.withoutNull(resolveSchema(property, this.root)));
      if (type !== "number" && type !== "integer") continue;
      const { name: meaning } = propertyHint(name, "");
      if (/\bwidth\b/.test(meaning)) assigned.set(name, size.width);
      if (/\bheight\b/.test(meaning)) assigned.set(name, size.height);
    }
    return assigned;
  }

  private fillNumber(schema: JSONSchema, hint: PropertyHint, isRequired: boolean): FilledValue {
    const range = rangeOf(schema);
    const guess = CONFIDENCE.test(hint.name)
      ? undefined
      : (this.source.takeNumberNear(hint, range) ??
        this.source.takeNextNumber(hint, range, isRequired || !this.source.reading.isRequest));
    if (guess !== undefined) return { value: toStep(guess, schema), found: true };
    const wanted = CONFIDENCE.test(hint.name) ? ASSUMED_CONFIDENCE : this.source.reading.isRequest ? 1 : 0;
    const value = Math.min(Math.max(wanted, range.min), range.max);
    return { value: toStep(range.integer ? Math.round(value) : value, schema), found: false };
  }

  private fillString(schema: JSONSchema, hint: PropertyHint, isRequired: boolean): FilledValue {
    const wish = momentWish(schema, hint);
    if (wish && schema["format"] !== undefined)
      return this.momentOr(assignMoments([["", wish]], this.source).get(""), wish, schema);
    const formatted = pickFormatted(schema, this.source.text);
    if (formatted) return formatted;
    const { value, found } = pickString(this.source, hint, isRequired);
    return { value: fitLength(value, schema), found };
  }

  private fillArray(schema: JSONSchema, hint: PropertyHint, depth: number): FilledValue {
    const min = Math.min(asNumber(schema["minItems"]) ?? 0, MOST_ITEMS);
    const max = Math.min(asNumber(schema["maxItems"]) ?? MOST_ITEMS, MOST_ITEMS);
    const prefix = asArray(schema["prefixItems"]).slice(0, max);
    const values = prefix.map((item) => this.fill(item, hint, depth + 1).value);
    const item = resolveSchema(schema["items"], this.root);
    // `items: false` after a prefix forbids any more.
    const listed = schema["items"] === false ? [] : this.listItems(item, hint, depth);
    const unique = schema["uniqueItems"] === true;
    for (const value of listed) {
      if (values.length >= max) break;
      if (!unique || !values.some((other) => JSON.stringify(other) === JSON.stringify(value)))
        values.push(value);
    }
    const found = listed.length > 0;
    for (
      let attempt = 0;
      values.length < min && schema["items"] !== false && attempt < MOST_ITEMS;
      attempt++
    ) {
      values.push(this.padding(item, hint, depth, unique ? values.length : undefined));
    }
    return { value: values, found };
  }

  private listItems(item: JSONSchema, hint: PropertyHint, depth: number): unknown[] {
    const { text } = this.source;
    const options = asArray(item["enum"]);
    if (options.length > 0) return mentionedChoices(options, text).map(({ option }) => option);
    if (item["const"] !== undefined) return [];
    if (item["anyOf"] !== undefined || item["oneOf"] !== undefined) return this.fillParts(item, hint, depth);
    switch (typeOf(item)) {
      case "string": {
        const wish = momentWish(item, hint);
        if (wish && item["format"] !== undefined) return listMoments(wish, this.source);
        return pickStringList(this.source, hint).map((value) => {
          const formatted = pickFormatted(item, value);
          return formatted ? formatted.value : fitLength(value, item);
        });
      }
      case "number":
      case "integer": {
        const range = rangeOf(item);
        const values: number[] = [];
        for (
          let next = this.source.takeNextNumber(hint, range);
          next !== undefined;
          next = this.source.takeNextNumber(hint, range)
        ) {
          values.push(toStep(next, item));
        }
        return values;
      }
      case "object":
        return this.fillParts(item, hint, depth);
      default:
        return [];
    }
  }

  /** One item per part of the text that has something to say to it. */
  private fillParts(item: JSONSchema, hint: PropertyHint, depth: number): unknown[] {
    return textParts(this.source.text).flatMap((part) => {
      const filler = new SchemaFiller(this.root, new TextSource(part, this.source.reading));
      const filled = this.source.spend() ? filler.fill(item, hint, depth + 1) : undefined;
      return filled?.found ? [filled.value] : [];
    });
  }

  /** One more item for a list that the schema wants longer than the text makes it. */
  private padding(
    item: JSONSchema,
    hint: PropertyHint,
    depth: number,
    distinct: number | undefined,
  ): unknown {
    const { value } = this.fill(item, hint, depth + 1);
    if (distinct === undefined) return value;
    if (typeof value === "string" && item["enum"] === undefined)
      return fitLength(`${value} ${distinct + 1}`, item);
    if (typeof value === "number" && item["enum"] === undefined) return value + distinct;
    return asArray(item["enum"])[distinct] ?? value;
  }

  /** A value for a schema too deep to be worked out: as little as it allows. */
  private smallest(schema: JSONSchema, depth: number): unknown {
    const [option] = asArray(schema["enum"]);
    if (option !== undefined) return option;
    if (allowsNull(schema)) return null;
    const alternatives = asArray(schema["anyOf"] ?? schema["oneOf"]).map((part) =>
      resolveSchema(part, this.root),
    );
    const simplest =
      alternatives.find((part) => !["object", "array"].includes(typeOf(part))) ?? alternatives[0];
    if (simplest && depth < 2 * DEEPEST) return this.smallest(simplest, depth + 1);
    switch (typeOf(schema)) {
      case "object": {
        const names = asArray(schema["required"]).filter((name) => typeof name === "string");
        if (depth >= 2 * DEEPEST) return {};
        const properties = asRecord(schema["properties"]);
        return Object.fromEntries(
          names.map((name) => {
            const property = Object.hasOwn(properties, name) ? properties[name] : {};
            return [name, this.smallest(resolveSchema(property, this.root), depth + 1)];
          }),
        );
      }
      case "array":
        return [];
      case "boolean":
        return false;
      case "number":
      case "integer": {
        const { min, max } = rangeOf(schema);
        return Math.min(Math.max(0, min), max);
      }
      case "null":
        return null;
      case "string":
        return pickFormatted(schema, "")?.value ?? fitLength("", schema);
    }
  }
}

/** What stands for a value that the text does not tell: the default, or null, before anything made up. */
function withoutMention(filled: FilledValue, schema: JSONSchema): FilledValue {
  if (schema["default"] !== undefined) return { value: schema["default"], found: false };
  return allowsNull(schema) && asArray(schema["enum"]).length === 0 ? { value: null, found: false } : filled;
}
