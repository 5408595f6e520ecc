import type { Field } from "../checks/field.js";
import { collectMembers } from "../checks/read-members.js";
import { readReplyRule } from "./read-reply-rule.js";
import type { ReplyFunctions } from "./reply-functions.js";
import type { ReplyRule } from "./reply-store.js";

/** A reply as it is kept. */
export interface SavedReply {
  id: string;
  used: number;
  /** It is of the options: the next process is given it again. */
  given?: true;
  /** The name of the function that it is. */
  code?: string;
  rule: ReplyRule;
}

/** A rule as JSON: patterns as what they are made of, and of code its name. */
export function saveRule(rule: ReplyRule, functions: ReplyFunctions): { code?: string; rule: object } {
  const { reply, when, ...rest } = rule;
  const text = when?.text;
  const saved = {
    ...rest,
    ...(when && {
      when: {
        ...when,
        ...(text instanceof RegExp && { text: { pattern: text.source, flags: text.flags } }),
      },
    }),
  };
  if (typeof reply === "function") return { code: functions.nameOf(reply), rule: saved };
  return { rule: { ...saved, ...(reply !== undefined && { reply }) } };
}

/** A reply as it was saved. Problems are noted at the field. */
export function readSavedReply(field: Field): SavedReply | undefined {
  const known = field.noted.length;
  const saved = collectMembers<SavedReply>(
    field,
    {
      id: (member) => member.nonEmptyString(),
      used: (member) => member.integer({ min: 0 }),
      given: (member) => (member.value === true ? true : member.refuse("must be true")),
      code: (member) => member.nonEmptyString(),
      rule: (member) => readReplyRule(member, { saved: true }) as ReplyRule,
    },
    { vital: ["id", "used", "rule"], complete: true },
  );
  return field.noted.length > known ? undefined : (saved as SavedReply);
}
