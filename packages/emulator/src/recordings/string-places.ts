import { isRecord } from "../json/is-record.js";

/** Where a string of a JSON value stands, to be read and replaced. */
export interface StringPlace {
  holder: Record<string, unknown>;
  name: string;
}

/** The strings of JSON values in order, by their place: what stands at one place in several events is one text in pieces. */
export function stringPlaces(values: readonly object[]): Map<string, StringPlace[]> {
  const places = new Map<string, StringPlace[]>();
  for (const value of values) collect(value as Record<string, unknown>, "", places);
  return places;
}

function collect(holder: Record<string, unknown>, path: string, places: Map<string, StringPlace[]>): void {
  for (const [name, value] of Object.entries(holder)) {
    // Choices and tool calls say themselves which of them they are.
    const step = isRecord(value) && typeof value["index"] === "number" ? `#${value["index"]}` : name;
    const here = `${path}/${step}`;
    if (typeof value === "string") {
      const there = places.get(here);
      if (there) there.push({ holder, name });
      else places.set(here, [{ holder, name }]);
    } else if (typeof value === "object" && value !== null) {
      collect(value as Record<string, unknown>, here, places);
    }
  }
}
