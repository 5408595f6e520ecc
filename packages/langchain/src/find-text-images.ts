/** An image in a text, from its first character to the one behind its last. */
export interface TextImage {
  start: number;
  end: number;
  /** Address or data URL. */
  url: string;
}

/** What an image, or code in which there are none, may begin with. */
const BEGINNING = /```|`|!\[|data:image\//gi;
const ADDRESS = /\(\s{0,100}<?(?=[a-z][a-z0-9+.-]{0,20}:\/\/|data:image\/)/iy;
const ADDRESS_END = /[\s)>]/g;
const MARKDOWN_END = />?(?:\s{1,100}"[^"]{0,2000}")?\s{0,100}\)/y;
const DATA_URL = /data:image\/[\w.+-]{1,50};base64,[A-Za-z0-9+/=]+/iy;
/** Longest description of an image. */
const MAX_LABEL = 2_000;

/**
 * Finds the images of a text: Markdown images with an absolute address or data URL, and bare data URLs; not those in
 * code blocks and code spans. Linear in the text, whatever a model writes.
 */
export function findTextImages(text: string): TextImage[] {
  const images: TextImage[] = [];
  const nextBracket = finder((from) => text.indexOf("]", from));
  const nextAddressEnd = finder((from) => search(ADDRESS_END, text, from));
  BEGINNING.lastIndex = 0;
  for (let found = BEGINNING.exec(text); found !== null; found = BEGINNING.exec(text)) {
    const { index: start } = found;
    const [beginning] = found;
    let end = start + 1;
    if (beginning.startsWith("`")) end = endOfCode(text, start, beginning);
    else {
      const image =
        beginning === "!["
          ? readMarkdown(text, start, nextBracket, nextAddressEnd)
          : readDataURL(text, start);
      if (image !== undefined) {
        images.push(image);
        end = image.end;
      }
    }
    BEGINNING.lastIndex = end;
  }
  return images;
}

function readMarkdown(
  text: string,
  start: number,
  nextBracket: (from: number) => number,
  nextAddressEnd: (from: number) => number,
): TextImage | undefined {
  const bracket = nextBracket(start + 2);
  if (bracket === -1 || bracket - start > MAX_LABEL) return undefined;
  const addressStart = match(ADDRESS, text, bracket + 1);
  if (addressStart === -1) return undefined;
  const addressEnd = nextAddressEnd(addressStart);
  const end = addressEnd === -1 ? -1 : match(MARKDOWN_END, text, addressEnd);
  return end === -1 ? undefined : { start, end, url: text.slice(addressStart, addressEnd) };
}

function readDataURL(text: string, start: number): TextImage | undefined {
  const end = match(DATA_URL, text, start);
  return end === -1 ? undefined : { start, end, url: text.slice(start, end) };
}

/** A block without an end is code to the end of the text; a span ends on its line, or is none. */
function endOfCode(text: string, start: number, fence: string): number {
  const end = text.indexOf(fence, start + fence.length);
  if (fence === "```") return end === -1 ? text.length : end + fence.length;
  return end === -1 || text.slice(start, end).includes("\n") ? start + 1 : end + 1;
}

/** Where a sticky pattern that matches here ends; -1 if it does not match. */
function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

function search(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? -1;
}

/** Looks for the next place of something from places that only grow, and never reads a part of the text twice. */
function finder(find: (from: number) => number): (from: number) => number {
  let known = { from: 0, index: Number.NEGATIVE_INFINITY };
  return (from) => {
    const holds = known.from <= from && (known.index === -1 || known.index >= from);
    if (!holds) known = { from, index: find(from) };
    return known.index;
  };
}
