/** What a client asked for with markers in its prompt. */
export interface PromptMarkers {
  /** `[[429]]`, `[[500]]`, …: the status to answer. */
  status?: number;
  /** `[[slow:2s]]`, `[[slow:250ms]]`: milliseconds to wait first. */
  delayMs: number;
  /** `[[fail]]`: the task fails; an endpoint without tasks answers 500. */
  fail: boolean;
  /** `[[stuck]]`: the task never ends; an endpoint without tasks never answers. */
  stuck: boolean;
}

const LONGEST_DELAY_MS = 600_000;

const MARKER = String.raw`\[\[(?:[45]\d\d|fail|stuck|slow:[\d.]+m?s|as:[a-z]+)\]\]`;
/** Markers stand at the start or at the end of a prompt: documents that only speak of them do not set them off. */
const AT_THE_EDGES = new RegExp(`^(?:\\s*${MARKER})+|(?:${MARKER}\\s*)+$`, "g");

/** Reads the markers at the start and at the end of a prompt. */
export function readPromptMarkers(prompt: string): PromptMarkers {
  // Most prompts hold none: one cheap search instead of four.
  if (!prompt.includes("[[")) return { delayMs: 0, fail: false, stuck: false };
  const text = markersIn(prompt);
  const status = /\[\[([45]\d\d)\]\]/.exec(text)?.[1];
  const slow = /\[\[slow:(\d{1,9}(?:\.\d{1,3})?)(ms|s)\]\]/.exec(text);
  const delayMs = slow ? Number(slow[1]) * (slow[2] === "s" ? 1_000 : 1) : 0;
  return {
    status: status === undefined ? undefined : Number(status),
    delayMs: Math.min(delayMs, LONGEST_DELAY_MS),
    fail: text.includes("[[fail]]"),
    stuck: text.includes("[[stuck]]"),
  };
}

/** The markers at the start and at the end of a prompt, as they stand there. */
export function markersIn(prompt: string): string {
  // Most prompts hold none.
  return prompt.includes("[[") ? (prompt.match(AT_THE_EDGES) ?? []).join(" ") : "";
}

/** The text without its markers, so that they do not shape the answer. */
export function stripPromptMarkers(text: string): string {
  return text.includes("[[") ? text.replace(AT_THE_EDGES, "").trim() : text;
}
