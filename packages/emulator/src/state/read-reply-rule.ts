import type { Field } from "../checks/field.js";
import { collectMembers, type Readers, readStrings } from "../checks/read-members.js";
import type { JSONValue, ReplyCondition, ReplyRule, ScriptedToolCall } from "./reply-store.js";

const PATTERN = /^\/(.+)\/([dimsuv]*)$/s;

const CONDITION: Readers<ReplyCondition> = {
  path: (field) => field.nonEmptyString(),
  model: (field) => field.nonEmptyString(),
  key: (field) => field.nonEmptyString(),
  text: readText,
  tool: (field) => field.nonEmptyString(),
  turn: (field) => field.integer({ min: 1 }),
};
const TOOL_CALL: Readers<ScriptedToolCall> = {
  name: (field) => field.nonEmptyString(),
  arguments: (field) =>
    typeof field.value === "string"
      ? field.value
      : (field.object() as Exclude<ScriptedToolCall["arguments"], string>),
};
const RULE: Readers<ReplyRule> = {
  when: (field) => part(field, CONDITION),
  reply: (field) => field.value as JSONValue,
  chunks: readStrings,
  reasoning: (field) => field.string(),
  toolCalls: (field) =>
    field.items("an array of tool calls")?.flatMap((item) => {
      const call = part(item, TOOL_CALL, ["name"]);
      return call === undefined ? [] : [call as ScriptedToolCall];
    }),
  finishReason: (field) => field.oneOf(["stop", "length", "tool_calls", "content_filter"]),
  usage: (field) => part(field, { promptTokens: readTokens, completionTokens: readTokens }),
  body: (field) => field.object() as ReplyRule["body"],
  events: (field) => field.items("an array of events")?.map(({ value }) => value as JSONValue),
  error: (field) =>
    part<NonNullable<ReplyRule["error"]>>(
      field,
      {
        status: (status) => status.integer({ min: 400, max: 599 }),
        code: (code) => code.string(),
        message: (message) => message.string(),
        retryAfter: (seconds) => seconds.integer({ min: 0 }),
      },
      ["status"],
    ) as ReplyRule["error"],
  pace: (field) => part(field, { firstMs: readMs, eachMs: readMs }),
  times: (field) => field.integer({ min: 1 }),
};

const SAVED_RULE: Readers<ReplyRule> = {
  ...RULE,
  when: (field) => part(field, { ...CONDITION, text: readSavedText }),
};

/**
 * Reads a scripted answer as JSON has it. Problems are noted at the field.
 *
 * @param saved as the emulator itself wrote it: patterns are objects, and a reply may be null
 */
export function readReplyRule(field: Field, { saved = false } = {}): ReplyRule | undefined {
  return saved ? part(field, SAVED_RULE, ["reply"]) : part(field, RULE);
}

function part<T extends object>(field: Field, readers: Readers<T>, vital: (keyof T & string)[] = []) {
  if (field.object() === undefined) return undefined;
  return collectMembers(field, readers, { vital, complete: true });
}

/** A text between slashes is a regular expression. */
function readText(field: Field): string | RegExp | undefined {
  const text = field.nonEmptyString();
  const [, source, flags] = PATTERN.exec(text ?? "") ?? [];
  if (source === undefined) return text;
  return pattern(field, source, flags);
}

function pattern(field: Field, source: string, flags: string | undefined): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    return field.refuse(`is no regular expression (${error instanceof Error ? error.message : error})`);
  }
}

function readSavedText(field: Field): string | RegExp | undefined {
  if (typeof field.value === "string") return field.value;
  const source = field.get("pattern").string();
  const flags = field.get("flags").string();
  return source === undefined || flags === undefined ? undefined : pattern(field, source, flags);
}

function readTokens(field: Field): number | undefined {
  return field.integer({ min: 0 });
}

function readMs(field: Field): number | undefined {
  return field.integer({ min: 0, max: 2 ** 31 - 1 });
}
