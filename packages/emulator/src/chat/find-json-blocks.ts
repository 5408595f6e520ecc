/** A JSON object that stands in a text. */
export interface JSONBlock {
  value: unknown;
  text: string;
}

const MOST_BLOCKS = 20;
const LONGEST_BLOCK = 200_000;

/** The outermost JSON objects in a text, in order. */
export function findJSONBlocks(text: string): JSONBlock[] {
  const blocks: JSONBlock[] = [];
  let attempts = 0;
  for (let start = text.indexOf("{"); start >= 0 && attempts < MOST_BLOCKS; attempts++) {
    const end = endOfObject(text, start);
    const candidate = end < 0 ? "" : text.slice(start, end);
    const value = parse(candidate);
    if (value !== undefined) blocks.push({ value, text: candidate });
    // A brace that opens no JSON may still hold some.
    start = text.indexOf("{", value === undefined ? start + 1 : end);
  }
  return blocks;
}

function endOfObject(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  const limit = Math.min(text.length, start + LONGEST_BLOCK);
  for (let index = start; index < limit; index++) {
    const character = text.charAt(index);
    if (inString) {
      if (character === "\\") index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return -1;
}

function parse(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
