import { isRecord } from "../json/is-record.js";
import type { Field } from "./field.js";

/** How each member of an object is read. */
export type Readers<T> = { [K in keyof T]-?: (field: Field) => T[K] | undefined };

/** Which members must hold a value. */
export interface ReadMembersOptions<T> {
  /** Members that `null` cannot take away. */
  vital?: readonly (keyof T & string)[];
  /** The vital members must be there, as for something new. */
  complete?: boolean;
}

/**
 * The members of an object that are there, with `null` read as taken away; a member without a reader is a mistake.
 *
 * @throws APIError 400 that names every problem
 */
export function readMembers<T extends object>(
  body: Field,
  readers: Readers<T>,
  options?: ReadMembersOptions<T>,
): Partial<T> {
  const members = collectMembers(body, readers, options);
  body.finish();
  return members;
}

/** The same of a part of a body: problems are noted, and nothing is thrown. */
export function collectMembers<T extends object>(
  body: Field,
  readers: Readers<T>,
  { vital = [], complete = false }: ReadMembersOptions<T> = {},
): Partial<T> {
  const names = Object.keys(readers) as (keyof T & string)[];
  for (const name of Object.keys(body.object() ?? {})) {
    if (!names.some((known) => known === name)) {
      body.get(name).refuse(`is unknown here; there are ${names.join(", ") || "no members"}`);
    }
  }
  const members: Partial<T> = {};
  for (const name of names) {
    const field = body.get(name);
    const isVital = vital.includes(name);
    if (!field.present && !(complete && isVital)) continue;
    members[name] = field.value === null && !isVital ? undefined : readers[name](field);
  }
  // As they came: what is written again is to be equal to what was read.
  const given = Object.keys(isRecord(body.value) ? body.value : {}).filter((name) =>
    Object.hasOwn(members, name),
  ) as (keyof T)[];
  return Object.fromEntries(given.map((name) => [name, members[name]])) as Partial<T>;
}

/** The items of an array of strings. */
export function readStrings(field: Field): string[] | undefined {
  return field.items("an array of strings")?.map((item) => item.string() ?? "");
}

/** A number in a query, where everything is text. */
export function readNumberText(field: Field): number | undefined {
  const number = Number(field.string());
  return Number.isInteger(number) ? number : field.refuse("must be an integer");
}

/** `true` or `false` in a query. */
export function readBooleanText(field: Field): boolean | undefined {
  const text = field.oneOf(["true", "false"]);
  return text === undefined ? undefined : text === "true";
}
