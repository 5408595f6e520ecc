/**
 * A copy of a JSON value with each of its strings, and each name of a member, replaced.
 *
 * @param replace told of a string the name of the member that holds it, also as an item of a list
 */
export function mapStrings(
  value: unknown,
  replace: (text: string, member: string | undefined) => unknown,
  member?: string,
): unknown {
  if (typeof value === "string") return replace(value, member);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, replace, member));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      String(replace(name, undefined)),
      mapStrings(each, replace, name),
    ]),
  );
}
