/** The smallest piece of a document that can be quoted. */
export interface Passage {
  text: string;
  /** What stands over it: headings, the question it answers, the sentence that leads a list in. */
  heading: string;
}

const ABBREVIATION = /(?:\b(?:Dr|Mr|Mrs|Ms|Prof|Inc|Ltd|Co|St|No|vs|approx|etc|e\.g|i\.e)|\b[A-Z])\.$/;
const LIST_ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)]|[（(]?[一二三四五六七八九十]+[)）、.])\s+(.*)$/;
const HEADING = /^\s*(#{1,6})\s+(.*?)\s*#*$/;
/** Rules and fences between parts of a text. */
const SEPARATOR = /^\s*(?:(?:[-=_*~]\s?){3,}|"""|''')\s*$/;
const MOST_JOINED_ITEMS = 12;

/** Splits prose or Markdown into sentences, list items, table rows and code blocks, each with its heading. */
export function splitPassages(text: string): Passage[] {
  return new PassageReader().read(text);
}

/** The sentences of a paragraph, English and Chinese. */
export function splitSentences(paragraph: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const match of paragraph.matchAll(/[.!?]+["')\]]*(?=\s|$)|[。！？；]+["”’）]*/g)) {
    const end = match.index + match[0].length;
    const sentence = paragraph.slice(start, end).trim();
    if (match[0] === "." && ABBREVIATION.test(sentence) && end < paragraph.length) continue;
    if (sentence !== "") sentences.push(sentence);
    start = end;
  }
  const rest = paragraph.slice(start).trim();
  return rest === "" ? sentences : [...sentences, rest];
}

class PassageReader {
  private readonly passages: Passage[] = [];
  private headings: { level: number; text: string }[] = [];
  private paragraph: string[] = [];
  private leadIn = "";
  private items: string[] = [];
  private columns: string[] | undefined;
  private code: string[] | undefined;

  read(text: string): Passage[] {
    for (const line of text.replaceAll("\r", "").split("\n")) this.readLine(line);
    if (this.code) this.add(this.code.join("\n"));
    this.endBlock();
    return this.passages;
  }

  private readLine(line: string): void {
    if (/^\s*```/.test(line)) {
      if (this.code) {
        this.add(this.code.join("\n"));
        this.code = undefined;
      } else {
        this.endBlock();
        this.code = [];
      }
      return;
    }
    if (this.code) {
      this.code.push(line);
      return;
    }
    const heading = HEADING.exec(line);
    if (heading) {
      this.endBlock();
      const level = heading[1]?.length ?? 1;
      this.headings = [
        ...this.headings.filter((above) => above.level < level),
        { level, text: heading[2] ?? "" },
      ];
      return;
    }
    if (/^\s*\|.*\|\s*$/.test(line)) {
      this.readTableRow(line);
      return;
    }
    this.columns = undefined;
    const item = LIST_ITEM.exec(line);
    if (item) {
      this.endParagraph();
      this.items.push(item[1]?.trim() ?? "");
    } else if (line.trim() === "") {
      // A blank line parts a lead-in from its list only in looks.
      this.endParagraph();
      this.endList();
    } else if (SEPARATOR.test(line)) {
      this.endParagraph();
    } else {
      if (this.items.length > 0 && /^\s{2,}/.test(line)) {
        this.items.push(`${this.items.pop() ?? ""} ${line.trim()}`);
      } else {
        this.endList();
        this.paragraph.push(line.trim());
      }
    }
  }

  private readTableRow(line: string): void {
    this.endBlock();
    const cells = line
      .trim()
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim());
    if (!this.columns) {
      this.columns = cells;
    } else if (!cells.every((cell) => /^:?-+:?$/.test(cell))) {
      const columns = this.columns;
      this.add(cells.map((cell, index) => (columns[index] ? `${columns[index]}: ${cell}` : cell)).join(", "));
    }
  }

  private endBlock(): void {
    this.endParagraph();
    this.endList();
    this.leadIn = "";
  }

  private endParagraph(): void {
    if (this.paragraph.length === 0) return;
    const sentences = splitSentences(this.paragraph.join(" ").replace(/^>\s*/, ""));
    this.paragraph = [];
    let leadIn = "";
    for (const [index, sentence] of sentences.entries()) {
      // A question is no answer, but says what the next sentences answer; a lead-in belongs to its list.
      const isLeadIn = /[:：]$/.test(sentence) && index === sentences.length - 1;
      if (isLeadIn || /[?？]$/.test(sentence)) {
        leadIn = sentence;
        this.leadIn = leadIn;
      } else {
        this.add(sentence.replace(/^(?:A|Answer|答)\s*[:：]\s*/, ""));
      }
    }
    // What led in to this paragraph says nothing of the next.
    this.leadIn = leadIn;
  }

  private endList(): void {
    if (this.items.length === 0) return;
    const { items } = this;
    this.items = [];
    for (const item of items) for (const sentence of splitSentences(item)) this.add(sentence);
    if (/[:：]$/.test(this.leadIn) && items.length <= MOST_JOINED_ITEMS) {
      this.passages.push({ text: `${this.leadIn} ${items.join("; ")}`, heading: this.headingText() });
    }
    this.leadIn = "";
  }

  private add(text: string): void {
    if (text.trim().length > 1) {
      this.passages.push({ text: text.trim(), heading: `${this.headingText()} ${this.leadIn}`.trim() });
    }
  }

  private headingText(): string {
    return this.headings.map(({ text }) => text).join(" ");
  }
}
