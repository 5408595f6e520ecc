/** A date in a text. */
export interface DateMention {
  /** `YYYY-MM-DD`. */
  iso: string;
  index: number;
  end: number;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\\.?";

const ISO = /(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/g;
const CHINESE = /(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]/g;
const DAY_FIRST = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH},? (\\d{4})\\b`, "gi");
const MONTH_FIRST = new RegExp(`\\b${MONTH} (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})\\b`, "gi");

/** The full dates in a text, in order. */
export function findDates(text: string): DateMention[] {
  const mentions: DateMention[] = [];
  const add = (match: RegExpExecArray, year = "", month = "", day = "") => {
    const monthNumber = /^\d/.test(month)
      ? Number(month)
      : MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1;
    const dayNumber = Number(day);
    if (
      monthNumber < 1 ||
      monthNumber > 12 ||
      dayNumber < 1 ||
      dayNumber > daysInMonth(Number(year), monthNumber)
    )
      return;
    const iso = `${year}-${String(monthNumber).padStart(2, "0")}-${String(dayNumber).padStart(2, "0")}`;
    mentions.push({ iso, index: match.index, end: match.index + match[0].length });
  };
  for (const match of text.matchAll(ISO)) add(match, match[1], match[2], match[3]);
  for (const match of text.matchAll(CHINESE)) add(match, match[1], match[2], match[3]);
  for (const match of text.matchAll(DAY_FIRST)) add(match, match[3], match[2], match[1]);
  for (const match of text.matchAll(MONTH_FIRST)) add(match, match[3], match[1], match[2]);
  return mentions.sort((left, right) => left.index - right.index);
}

function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
