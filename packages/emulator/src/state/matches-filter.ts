/** Whether a kept entry has every value that a filter names; what the filter leaves out does not matter. */
export function matchesFilter<Filter extends object>(
  entry: { [Name in keyof Filter]?: Filter[Name] | null },
  filter: Filter,
): boolean {
  return (Object.keys(filter) as (keyof Filter)[]).every(
    (name) => filter[name] === undefined || entry[name] === filter[name],
  );
}
