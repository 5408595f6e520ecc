import { isRecord } from "../json/is-record.js";
import type { RecordedRequest } from "./call-recording.js";

/** A recording that could have been meant. */
export interface Candidate {
  /** Below the folder. */
  file: string;
  request: RecordedRequest;
}

interface Difference {
  path: string;
  recorded: unknown;
  sent: unknown;
}

const MOST_COMPARED = 500;
const MOST_DIFFERENCES = 1_000;
const SHOWN_DIFFERENCES = 4;
const SHOWN_LENGTH = 80;
/** What stands before the place where two texts part. */
const SHOWN_BEFORE = 20;

/** Says which recording is nearest to a request that none is for, and what differs. */
export function explainMiss(sent: RecordedRequest, candidates: readonly Candidate[]): string {
  const alike = candidates.filter(
    ({ request }) => request.method === sent.method && request.path === sent.path,
  );
  if (alike.length === 0) {
    const others = [...new Set(candidates.map(({ request }) => `${request.method} ${request.path}`))];
    if (others.length === 0) return "There are none.";
    const nearest = others
      .map((other) => ({ other, shared: sharedStart(other, `${sent.method} ${sent.path}`) }))
      .sort((one, two) => two.shared - one.shared)
      .slice(0, SHOWN_DIFFERENCES);
    return `There is none of this method and path; there are ${nearest.map(({ other }) => shorten(other)).join(", ")}${others.length > nearest.length ? " and others" : ""}.`;
  }
  const compared = alike.slice(0, MOST_COMPARED).map(({ file, request }) => ({
    file,
    differences: differencesOf(request, sent),
  }));
  compared.sort((one, two) => weightOf(one.differences) - weightOf(two.differences));
  const [nearest] = compared;
  if (!nearest) return "";
  const shown = nearest.differences.slice(0, SHOWN_DIFFERENCES).map(describeDifference);
  const hidden = nearest.differences.length - shown.length;
  const more = hidden > 0 ? `; and ${hidden} more` : "";
  return `The nearest is ${nearest.file}, which differs in ${shown.join("; ")}${more}.`;
}

/** What differs by little is nearer: of long texts, it counts how much of them. */
function weightOf(differences: readonly Difference[]): number {
  return differences.reduce((sum, { recorded, sent }) => {
    if (typeof recorded !== "string" || typeof sent !== "string") return sum + 1;
    return sum + 1 - sharedStart(recorded, sent) / (Math.max(recorded.length, sent.length) + 1);
  }, 0);
}

function differencesOf(recorded: unknown, sent: unknown): Difference[] {
  const found: Difference[] = [];
  const compare = (path: string, one: unknown, other: unknown) => {
    if (found.length >= MOST_DIFFERENCES || one === other) return;
    if (Array.isArray(one) && Array.isArray(other)) {
      for (let index = 0; index < Math.max(one.length, other.length); index++) {
        compare(`${path}[${index}]`, one[index], other[index]);
      }
      return;
    }
    if (isRecord(one) && isRecord(other)) {
      for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
        compare(path === "" ? name : `${path}.${name}`, memberOf(one, name), memberOf(other, name));
      }
      return;
    }
    found.push({ path, recorded: one, sent: other });
  };
  compare("", recorded, sent);
  return found;
}

function memberOf(value: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function describeDifference({ path, recorded, sent }: Difference): string {
  const from =
    typeof recorded === "string" && typeof sent === "string"
      ? Math.max(0, sharedStart(recorded, sent) - SHOWN_BEFORE)
      : 0;
  const name = path.replace(/^(?:json|form)\b\.?/, "") || "the body";
  return `${name} (recorded ${show(recorded, from)}, sent ${show(sent, from)})`;
}

function show(value: unknown, from: number): string {
  if (value === undefined) return "none";
  if (typeof value === "string") {
    const text = value.slice(from, from + SHOWN_LENGTH);
    return JSON.stringify(`${from > 0 ? "…" : ""}${text}${from + text.length < value.length ? "…" : ""}`);
  }
  return shorten(JSON.stringify(value));
}

function shorten(text: string): string {
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}

function sharedStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
