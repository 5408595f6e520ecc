import { asRecord, type JSONSchema, resolveSchema, typeOf } from "../extraction/json-schema.js";
import { nameInWords } from "../extraction/property-hint.js";
import { schemaOfExample } from "../extraction/schema-of-example.js";
import { isRecord } from "../json/is-record.js";
import { type ModerationVerdict, moderateText } from "../moderations/moderate-text.js";
import { MODERATION_CATEGORIES } from "../moderations/moderation-lexicon.js";
import type { ChatRequest } from "./chat-request.js";
import { findJSONBlocks } from "./find-json-blocks.js";
import { findSchemaBlocks } from "./json-schema-blocks.js";
import type { Conversation } from "./read-conversation.js";

const ACTIONS = ["allow", "review", "block"];
/** A prompt that leaves a category or two out still means the list. */
const FEWEST_CATEGORIES = 5;
const MARKED = /^\s*(?:BEGIN|START)\b[^\n]*\n([\s\S]*?)\n(?:END|STOP)\b[^\n]*\s*$/;
const TAGGED = /<(text|input|content|message)>([\s\S]*)<\/\1>/i;
const LABELLED =
  /(?:^|\n)\W*(?:text|input|content|message|user (?:input|message)|文本|内容|待审核内容)(?: to (?:check|classify|judge|moderate))?\W{0,3}[:：]\s*([\s\S]+)$/i;

/**
 * The verdict as JSON text when the prompt is a moderation prompt (it lists the categories of the API description and
 * the actions allow, review and block); undefined otherwise.
 */
export function moderationAnswer(
  { responseFormat }: ChatRequest,
  { systemText, userText }: Conversation,
): string | undefined {
  const inSystem = asksForVerdict(systemText);
  if (!inSystem && !asksForVerdict(userText)) return undefined;
  const judged = quotedText(userText, inSystem);
  const verdict = moderateText(judged);
  const instructions = inSystem ? systemText : userText.replace(judged, () => " ");
  const schema =
    responseFormat.type === "json_schema" ? asRecord(responseFormat.schema) : shapeIn(instructions);
  return JSON.stringify(schema ? shapeVerdict(schema, schema, verdict) : plainVerdict(verdict));
}

function asksForVerdict(text: string): boolean {
  const words = new Set(
    text
      .toLowerCase()
      .replaceAll("self-harm", "self_harm")
      .match(/[a-z_]+/g),
  );
  const categories = MODERATION_CATEGORIES.filter((category) => words.has(category));
  return categories.length >= FEWEST_CATEGORIES && ACTIONS.every((action) => words.has(action));
}

/** The text to judge: between marks or tags, after a label, or all of it when the instructions stand elsewhere. */
function quotedText(userText: string, alone: boolean): string {
  const marked = MARKED.exec(userText)?.[1] ?? TAGGED.exec(userText)?.[2];
  if (marked !== undefined || alone) return (marked ?? userText).trim();
  const labelled = LABELLED.exec(userText)?.[1];
  return (labelled ?? userText.split(/\n\s*\n/).at(-1) ?? userText).trim();
}

/** The form that the instructions show, as a schema. */
function shapeIn(instructions: string): JSONSchema | undefined {
  const schema = findSchemaBlocks(instructions).at(-1)?.value;
  if (isRecord(schema)) return schema;
  const example = findJSONBlocks(instructions).findLast(
    ({ value }) => isRecord(value) && Object.keys(value).length > 0,
  );
  return example && schemaOfExample(example.value);
}

function plainVerdict(verdict: ModerationVerdict): object {
  const { action, flagged, categories, scores } = verdict;
  return { action, flagged, categories, scores, reason: reasonOf(verdict) };
}

function reasonOf({ categories }: ModerationVerdict): string {
  const names = MODERATION_CATEGORIES.filter((category) => categories[category]);
  return names.length === 0 ? "No category applies." : `The text has phrases of ${names.join(" and ")}.`;
}

/** The verdict in the members that a schema asks for, by their names and types. */
function shapeVerdict(schema: JSONSchema, root: JSONSchema, verdict: ModerationVerdict): object {
  const properties = Object.entries(asRecord(resolveSchema(schema, root)["properties"]));
  return Object.fromEntries(
    properties.map(([name, property]) => [name, member(name, resolveSchema(property, root), verdict)]),
  );
}

function member(name: string, schema: JSONSchema, verdict: ModerationVerdict): unknown {
  const { action, flagged, categories, scores } = verdict;
  const category = MODERATION_CATEGORIES.find((candidate) => candidate === name.replaceAll("-", "_"));
  const type = typeOf(schema);
  const named = MODERATION_CATEGORIES.filter((candidate) => categories[candidate]);
  if (category) return type === "number" ? scores[category] : categories[category];
  switch (type) {
    case "boolean":
      return flagged;
    case "number":
    case "integer":
      return Math.max(...Object.values(scores));
    case "array":
      return named;
    case "object":
      return /score|confidence|probabilit/.test(nameInWords(name)) || holdsNumbers(schema)
        ? scores
        : categories;
    case "null":
      return null;
    case "string":
      if (/action|decision|verdict|recommend/.test(nameInWords(name))) return action;
      return /categor|label/.test(nameInWords(name)) ? (named[0] ?? "none") : reasonOf(verdict);
  }
}

function holdsNumbers(schema: JSONSchema): boolean {
  const [first] = Object.values(asRecord(schema["properties"]));
  return typeOf(asRecord(first ?? schema["additionalProperties"])) === "number";
}
