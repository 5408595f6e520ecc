import { fillSchema } from "../extraction/fill-schema.js";
import type { JSONSchema } from "../extraction/json-schema.js";
import { schemaOfExample } from "../extraction/schema-of-example.js";
import { TextSource } from "../extraction/text-source.js";
import { isRecord } from "../json/is-record.js";
import type { ChatRequest } from "./chat-request.js";
import { composeAnswer } from "./compose-answer.js";
import { findJSONBlocks } from "./find-json-blocks.js";
import { findSchemaBlocks, withoutSchemas } from "./json-schema-blocks.js";
import type { Conversation } from "./read-conversation.js";

/** The answer as JSON text when the request, or the prompt, asks for that; undefined otherwise. */
export function structuredAnswer(
  { responseFormat }: ChatRequest,
  conversation: Conversation,
  seed: number,
): string | undefined {
  const prompt = `${conversation.systemText}\n${conversation.userText}`;
  switch (responseFormat.type) {
    case "json_schema":
      return write(fill(responseFormat.schema, conversation, seed, []));
    case "json_object": {
      const shape = shapeInPrompt(prompt) ?? keysInPrompt(prompt);
      const value = fill(shape.schema, conversation, seed, [shape.text]);
      return write(isRecord(value) ? value : { answer: value });
    }
    case "text": {
      // Prompts of output parsers carry the schema as text and expect the JSON in a code block.
      const shape = /\bjson\b/i.test(prompt) ? schemaInPrompt(prompt) : undefined;
      if (!shape) return undefined;
      return `\`\`\`json\n${write(fill(shape.schema, conversation, seed, [shape.text]))}\n\`\`\``;
    }
  }
}

function write(value: unknown): string {
  return JSON.stringify(value);
}

function fill(schema: unknown, conversation: Conversation, seed: number, cut: readonly string[]): unknown {
  const root = isRecord(schema) ? schema : {};
  const material = conversation.sources.filter(
    ({ origin }) => origin !== "history" || !conversation.hasContext,
  );
  const said = withoutSchemas(conversation.userText);
  let text = [...conversation.toolResults.map((result) => result.text), said].join("\n");
  if (conversation.seenImages !== undefined) text += `\n${conversation.seenImages}`;
  for (const { text: more } of material) if (!text.includes(more)) text += `\n${more}`;
  for (const part of cut) text = text.replace(part, " ");
  const answer = () => composeAnswer(conversation, seed).text;
  const shaped: JSONSchema = Object.keys(root).length === 0 ? { type: "object" } : root;
  return fillSchema(shaped, new TextSource(text, answer)).value;
}

interface PromptShape {
  schema: JSONSchema;
  /** Where it stands, to keep it out of the text that is read. */
  text: string;
}

/** A JSON schema in the prompt. */
function schemaInPrompt(prompt: string): PromptShape | undefined {
  const block = findSchemaBlocks(prompt).at(-1);
  return block && isRecord(block.value) ? { schema: block.value, text: block.text } : undefined;
}

/** A JSON schema in the prompt, or else the schema of an example object. */
function shapeInPrompt(prompt: string): PromptShape | undefined {
  const schema = schemaInPrompt(prompt);
  if (schema) return schema;
  const example = findJSONBlocks(prompt).findLast(
    ({ value }) => isRecord(value) && Object.keys(value).length > 0,
  );
  return example && { schema: schemaOfExample(example.value), text: example.text };
}

const KEY_LIST =
  /\b(?:keys?|fields?|properties|members|attributes)\b(?:\s+(?:named|called|are|of|is))?\s*[:：]?\s*([^.\n]{1,200})/i;
const QUOTED_KEY = /["'`]([\w-]{1,40})["'`]/g;
const PLAIN_KEY = /\b([a-z][\w-]{0,39})\b(?=\s*(?:,|\band\b|:|\(|$))/gi;

/** Keys that a prompt names in words: `with keys "name" and "age"`, `with the fields a, b and c`. */
function keysInPrompt(prompt: string): PromptShape {
  const sentence = KEY_LIST.exec(prompt);
  const list = sentence?.[1] ?? "";
  const quoted = [...list.matchAll(QUOTED_KEY)];
  const named = quoted.length > 0 ? quoted : [...list.matchAll(PLAIN_KEY)];
  const keys = new Set(
    named.map((match) => match[1] ?? "").filter((key) => !/^(?:and|or|the|an?)$/i.test(key)),
  );
  if (keys.size === 0) keys.add("answer");
  const last = named.at(-1);
  const end = (sentence?.[0].length ?? 0) - list.length + (last ? last.index + last[0].length : 0);
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries([...keys].map((key) => [key, schemaOfKey(key)])),
      required: [...keys],
    },
    text: sentence?.[0].slice(0, end) ?? "",
  };
}

function schemaOfKey(key: string): JSONSchema {
  if (/^(?:is|has)[_A-Z]/.test(key)) return { type: "boolean" };
  if (/age|count|quantity|price|amount|total|year|score|temperature/i.test(key)) return { type: "number" };
  return { type: "string" };
}
