const ADDRESS_STARTS = ["https:", "http:", "data:image/"];
/** Ends an address: what a link may not hold unescaped. */
const ADDRESS_END = /[\s)>]/g;

/**
 * The addresses of `![alt](address "title")`. A scanner and no regular expression: it sees text that a model wrote, and
 * looks at each character a bounded number of times, whatever is unclosed.
 */
export function findMarkdownImages(text: string): string[] {
  const found: string[] = [];
  for (let open = text.indexOf("!["); open !== -1; ) {
    const bracket = text.indexOf("]", open + 2);
    if (bracket === -1) break;
    let next = bracket + 1;
    if (text[next] === "(") {
      const start = skipOpening(text, next + 1);
      next = start;
      if (ADDRESS_STARTS.some((scheme) => text.startsWith(scheme, start))) {
        ADDRESS_END.lastIndex = start;
        const end = ADDRESS_END.exec(text)?.index;
        const close = end === undefined ? -1 : text.indexOf(")", end);
        // Nothing is closed any more from here on.
        if (end === undefined || close === -1) break;
        found.push(text.slice(start, end));
        next = close + 1;
      }
    }
    open = text.indexOf("![", next);
  }
  return found;
}

/** Blanks and the bracket that an address may be wrapped in. */
function skipOpening(text: string, from: number): number {
  let position = from;
  while (/\s/.test(text[position] ?? "")) position++;
  return text[position] === "<" ? position + 1 : position;
}
