/** Longer texts are read once or twice, and would take the room of many. */
const LONGEST = 4_000;

/**
 * A reading of texts that remembers what it found: several readers look at the same prompt, and most words come again. When it
 * is full it begins anew.
 *
 * @param read says the same of the same text, always; nobody may change what it returns
 * @param most texts that are remembered
 */
export function remembered<T>(read: (text: string) => T, most: number): (text: string) => T {
  const found = new Map<string, T>();
  return (text) => {
    const before = found.get(text);
    if (before !== undefined) return before;
    const value = read(text);
    if (text.length > LONGEST) return value;
    if (found.size >= most) found.clear();
    found.set(text, value);
    return value;
  };
}
