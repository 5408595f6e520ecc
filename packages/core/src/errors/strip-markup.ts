/** Elements whose content is no text. */
const HIDDEN = ["script", "style"];

/**
 * The text of a web page without its tags. A scanner and no regular expression: error pages come from anywhere, and each
 * character is looked at a bounded number of times, whatever is unclosed.
 */
export function stripMarkup(page: string): string {
  const lower = page.toLowerCase();
  let text = "";
  let position = 0;
  while (position < page.length) {
    const open = page.indexOf("<", position);
    if (open === -1) break;
    text += `${page.slice(position, open)} `;
    const hidden = HIDDEN.find((name) => lower.startsWith(name, open + 1));
    const last = hidden === undefined ? open : lower.indexOf(`</${hidden}`, open);
    // Unclosed: everything that follows belongs to it.
    if (last === -1) return text;
    const close = page.indexOf(">", last);
    if (close === -1) {
      position = last;
      break;
    }
    position = close + 1;
  }
  return text + page.slice(position);
}
