import { isRecord } from "../json/is-record.js";
import type { CallRecording } from "./call-recording.js";

const INDENT = "  ";

/**
 * A recording as a file that people can read and compare: members in lines of their own, but for lists of numbers, such as
 * embeddings, and the events of streams, which have a line each.
 */
export function formatRecording(recording: CallRecording): string {
  return `${format(recording, "")}\n`;
}

function format(value: unknown, indent: string): string {
  if (typeof value !== "object" || value === null || isOneLine(value)) return JSON.stringify(value);
  const inner = indent + INDENT;
  const isList = Array.isArray(value);
  const lines = isList
    ? value.map((item) => inner + format(item, inner))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => `${inner}${JSON.stringify(name)}: ${format(member, inner)}`);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  return lines.length === 0 ? open + close : `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}

function isOneLine(value: object): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === "number");
  return isRecord(value) && "atMs" in value;
}
