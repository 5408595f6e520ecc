import type { Field } from "../checks/field.js";

/** What a file is made of other files for. */
interface Ingredients {
  /** The first part of the paths of its files. */
  owner: string;
  inputs: readonly string[];
}

const FILE_PATH = /^\/files\/([^/]+)\/[^/]+$/;

/**
 * Notes a problem when files are made of each other: whoever asked for one would wait for ever. Requests cannot lead
 * there, since a link is made after what it leads to; a document that somebody wrote can.
 */
export function requireNoCircles(field: Field, files: Iterable<Ingredients>): void {
  const sources = new Map<string, Set<string>>();
  for (const { owner, inputs } of files) {
    const known = sources.get(owner) ?? new Set();
    sources.set(owner, known);
    for (const input of inputs) for (const source of ownerOf(input)) known.add(source);
  }
  // What is made of nothing that is left goes, again and again: circles stay.
  const users = new Map<string, string[]>();
  for (const [owner, known] of sources) {
    for (const source of known) {
      if (sources.has(source)) users.set(source, [...(users.get(source) ?? []), owner]);
      else known.delete(source);
    }
  }
  const free = [...sources].flatMap(([owner, known]) => (known.size === 0 ? [owner] : []));
  for (let owner = free.pop(); owner !== undefined; owner = free.pop()) {
    sources.delete(owner);
    for (const user of users.get(owner) ?? []) {
      const known = sources.get(user);
      known?.delete(owner);
      if (known?.size === 0) free.push(user);
    }
  }
  const [first] = sources.keys();
  if (first !== undefined) field.refuse(`lead in a circle: the files of "${first}" are made of themselves`);
}

function ownerOf(input: string): string[] {
  if (!/^https?:/i.test(input) || !URL.canParse(input)) return [];
  const owner = FILE_PATH.exec(new URL(input).pathname)?.[1];
  return owner === undefined ? [] : [owner];
}
