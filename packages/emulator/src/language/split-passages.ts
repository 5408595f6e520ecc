/** The smallest piece of a document that can be quoted. */
export interface Passage {
  text: string;
  /** What stands over it: headings, the question it answers, the sentence that leads a list in. */
  heading: string;
  /** Cells or items that the text joins; it may be quoted without some of them. */
  segments?: readonly string[];
  /** A table row is found by its first cell before all else. */
  rowKey?: string;
  /** A line of code says less to a reader than a sentence. */
  isCode?: boolean;
  /** Which paragraph it is a sentence of. */
  paragraph?: number;
}

const ABBREVIATION = /(?:\b(?:Dr|Mr|Mrs|Ms|Prof|Inc|Ltd|Co|St|No|vs|approx|etc|e\.g|i\.e)|\b[A-Z])\.$/;
/** German days and ordinals have a full stop. */
const ORDINAL = /(?:^|\s)\d{1,2}\.$/;
const AFTER_ORDINAL =
  /^\s+(?:\p{Ll}|\d{4}|Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Klasse|Stock|Etage|Quartal|Jahrhundert|Platz)/u;
const LIST_ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)]|[（(]?[一二三四五六七八九十]+[)）、.])\s+(.*)$/;
const HEADING = /^\s*(#{1,6})\s+(.*?)\s*#*$/;
/** Rules and fences between parts of a text. */
const SEPARATOR = /^\s*(?:(?:[-=_*~]\s?){3,}|"""|''')\s*$/;
const MOST_JOINED_ITEMS = 12;
const FENCE = /^\s*(?:```|~~~)\s*(.*)$/;
const TABLE_ROW = /^\s*\|.*\|\s*$/;
const TABLE_RULE = /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/;
const CELL_END = /[,;\t]/;
const FEWEST_ROWS = 3;
const LONGEST_ROW = 400;
/** After a blank line these are Markdown again, even where the end of a code block was cut off. */
const MARKDOWN_AGAIN = /^(?:#{1,6} \S|\|.*\|\s*$)/;

/** Splits prose or Markdown, also cut out anywhere, into sentences, list items, table rows and lines of code. */
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
    if (match[0] === "." && ORDINAL.test(sentence) && AFTER_ORDINAL.test(paragraph.slice(end, end + 14)))
      continue;
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
  private columns: readonly string[] = [];
  private inCode = false;
  private lines: readonly string[] = [];
  private paragraphs = 0;

  read(text: string): Passage[] {
    this.lines = tablesOf(text.replaceAll("\r", "").split("\n"));
    for (const [index, line] of this.lines.entries()) this.readLine(line, index);
    this.endBlock();
    return this.passages;
  }

  private readLine(line: string, index: number): void {
    const fence = FENCE.exec(line);
    if (fence) {
      this.readFence(fence[1] ?? "", index);
      return;
    }
    if (this.inCode && MARKDOWN_AGAIN.test(line) && (this.lines[index - 1] ?? "").trim() === "")
      this.inCode = false;
    if (this.inCode) {
      this.add(line, { isCode: true });
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
    if (TABLE_ROW.test(line)) {
      this.readTableRow(line, index);
      return;
    }
    this.columns = [];
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

  /** A retrieved piece may begin or end inside code; a fence with a language always opens it. */
  private readFence(language: string, index: number): void {
    const closesNothing = !this.inCode && language === "" && !this.isClosedLater(index);
    this.endBlock();
    this.inCode = language !== "" || (!this.inCode && !closesNothing);
  }

  private isClosedLater(index: number): boolean {
    const next = this.lines.slice(index + 1).find((line) => FENCE.test(line));
    return next !== undefined && FENCE.exec(next)?.[1] === "";
  }

  private readTableRow(line: string, index: number): void {
    this.endBlock();
    if (TABLE_RULE.test(line)) return;
    const cells = splitCells(line);
    // A piece that was cut out of a table has rows without their header.
    if (TABLE_RULE.test(this.lines[index + 1] ?? "")) {
      this.columns = cells;
      return;
    }
    const segments = cells
      .map((cell, column) =>
        cell !== "" && this.columns[column] ? `${this.columns[column]}: ${cell}` : cell,
      )
      .filter((cell) => cell !== "");
    this.add(segments.join(", "), { segments, rowKey: cells[0] ?? "" });
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
    this.paragraphs += 1;
    let leadIn = "";
    for (const [index, sentence] of sentences.entries()) {
      // A question is no answer, but says what the next sentences answer; a lead-in belongs to its list.
      const isLeadIn = /[:：]$/.test(sentence) && index === sentences.length - 1;
      if (isLeadIn || /[?？]$/.test(sentence)) {
        leadIn = sentence;
        this.leadIn = leadIn;
      } else {
        this.add(sentence.replace(/^(?:A|Answer|Antwort|答)\s*[:：]\s*/, ""), { paragraph: this.paragraphs });
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
      const [first = "", ...others] = items;
      this.passages.push({
        text: `${this.leadIn} ${items.join("; ")}`,
        heading: this.headingText(),
        segments: [`${this.leadIn} ${first}`, ...others],
      });
    }
    this.leadIn = "";
  }

  private add(text: string, more: Omit<Passage, "text" | "heading"> = {}): void {
    if (text.trim().length > 1) {
      this.passages.push({
        text: text.trim(),
        heading: `${this.headingText()} ${this.leadIn}`.trim(),
        ...more,
      });
    }
  }

  private headingText(): string {
    return this.headings.map(({ text }) => text).join(" ");
  }
}

/** The cells of a row; a bar in code or behind a backslash parts none. */
function splitCells(line: string): string[] {
  return (
    line
      .trim()
      .slice(1, -1)
      .match(/(?:`[^`]*`|\\\||[^|])*(?:\||$)/g) ?? []
  )
    .map((cell) => cell.replace(/\|$/, "").replaceAll("\\|", "|").trim())
    .filter((cell, index, all) => cell !== "" || index < all.length - 1);
}

/** Lines of comma-separated values as rows of a table. */
function tablesOf(lines: readonly string[]): string[] {
  const found: string[] = [];
  for (let index = 0; index < lines.length; ) {
    const cells = cellsOf(lines[index] ?? "");
    let end = index + 1;
    if (cells > 1) while (end < lines.length && cellsOf(lines[end] ?? "") === cells) end += 1;
    if (end - index < FEWEST_ROWS) end = index + 1;
    const rows = lines.slice(index, end);
    if (rows.length > 1) {
      const [head = "", ...body] = rows.map((row) => `| ${row.trim().split(CELL_END).join(" | ")} |`);
      found.push(head, `|${"---|".repeat(cells)}`, ...body);
    } else found.push(...rows);
    index = end;
  }
  return found;
}

/** How many values a line has; none where it reads like a sentence. */
function cellsOf(line: string): number {
  if (line.length > LONGEST_ROW || /[,;]\s|[.!?。！？]\s*$|\|/.test(line)) return 0;
  return line.split(CELL_END).length;
}
