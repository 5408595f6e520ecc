import { fillSchema } from "../extraction/fill-schema.js";
import type { JSONSchema } from "../extraction/json-schema.js";
import { type Reading, TextSource } from "../extraction/text-source.js";
import { isRecord } from "../json/is-record.js";
import type { ChatRequest } from "./chat-request.js";
import { composeAnswer } from "./compose-answer.js";
import { imageSizesIn } from "./image-sizes-in.js";
import { withoutSchemas } from "./json-schema-blocks.js";
import type { Conversation } from "./read-conversation.js";
import { materialOf, shapeOfObject, type WantedShape, wantedShape } from "./wanted-shape.js";

/** What the model that answers goes by. */
export interface AnswerSettings {
  seed: number;
  /** Milliseconds since 1970. */
  now: number;
}

/** The answer as JSON text when the request, or the prompt, asks for that; undefined otherwise. */
export function structuredAnswer(
  { responseFormat }: ChatRequest,
  conversation: Conversation,
  settings: AnswerSettings,
): string | undefined {
  const prompt = `${conversation.systemText}\n${conversation.userText}`;
  switch (responseFormat.type) {
    case "json_schema":
      return JSON.stringify(fill(responseFormat.schema, conversation, settings));
    case "json_object": {
      const shape = shapeOfObject(prompt);
      const value = fill(shape.schema, conversation, settings, shape);
      return JSON.stringify(isRecord(value) ? value : { answer: value });
    }
    case "text": {
      const shape = wantedShape(prompt);
      if (!shape) return undefined;
      const value = fill(shape.schema, conversation, settings, shape);
      const wanted = shape.list !== undefined && isRecord(value) ? value[shape.list] : value;
      const text = JSON.stringify(wanted);
      // Prompts of output parsers carry the schema as text and expect the JSON in a code block.
      return shape.isSchema ? `\`\`\`json\n${text}\n\`\`\`` : text;
    }
  }
}

function fill(
  schema: unknown,
  conversation: Conversation,
  { seed, now }: AnswerSettings,
  shape?: WantedShape,
): unknown {
  const root = isRecord(schema) ? schema : {};
  const isWorded = shape !== undefined && !shape.isSchema;
  const said = withoutSchemas(conversation.userText);
  const material = isWorded ? materialOf(said, shape) : said;
  let text = [...conversation.toolResults.map((result) => result.text), material].join("\n");
  if (conversation.seenImages !== undefined) text += `\n${conversation.seenImages}`;
  for (const { text: more, origin } of conversation.sources) {
    // A prompt that asks for JSON in words has been read; what else there is to answer from is asked for.
    const isRead = isWorded && (origin === "prompt" || !/[?？]/.test(material));
    if (isRead || (origin === "history" && conversation.hasContext) || text.includes(more)) continue;
    text += `\n${more}`;
  }
  if (shape && shape.text !== "") text = text.replace(shape.text, () => " ");
  const reading: Reading = {
    now,
    answer: () => composeAnswer(conversation, seed).text,
    imageSizes: imageSizesIn(conversation.seenImages),
  };
  const shaped: JSONSchema = Object.keys(root).length === 0 ? { type: "object" } : root;
  return fillSchema(shaped, new TextSource(text, reading)).value;
}
