import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RecordedRequest } from "./call-recording.js";
import { parseRecording } from "./read-recording.js";

/** A recording that lies in a folder. */
export interface LoadedRecording {
  /** Below the folder. */
  file: string;
  /** The folder of its group; "" for none. */
  group: string;
  request: RecordedRequest;
}

const SHOWN_PROBLEMS = 5;
/** More is no recording that anybody looks at, and more than a string can hold. */
const LARGEST_BYTES = 256 * 1_024 * 1_024;

/** The recordings of a folder and of those directly in it. @throws Error that names what is wrong with them, by their lines */
export function loadRecordings(folder: string): LoadedRecording[] {
  const recordings: LoadedRecording[] = [];
  const problems: string[] = [];
  const load = (group: string, file: string) => {
    try {
      const { request } = parseRecording(
        readRegularFile(join(folder, file)).toString("utf8"),
        join(folder, file),
      );
      recordings.push({ file, group, request });
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  };
  for (const entry of entriesOf(folder)) {
    if (entry.isDirectory()) {
      for (const inside of entriesOf(join(folder, entry.name))) {
        if (isRecording(inside.name)) load(entry.name, `${entry.name}/${inside.name}`);
      }
    } else if (isRecording(entry.name)) load("", entry.name);
  }
  if (problems.length === 0) return recordings.sort(inOrder);
  const more = problems.length > SHOWN_PROBLEMS ? `\nand ${problems.length - SHOWN_PROBLEMS} more` : "";
  throw new Error(problems.slice(0, SHOWN_PROBLEMS).join("\n") + more);
}

/** What a file holds, unless it is a link to another. @throws Error when it is one, or too large */
export function readRegularFile(path: string): Buffer {
  const about = lstatSync(path);
  if (!about.isFile()) throw new Error(`${path} is no file, or leads to another, and is not read.`);
  if (about.size > LARGEST_BYTES) {
    throw new Error(`${path} has ${about.size} bytes; recordings have at most ${LARGEST_BYTES}.`);
  }
  return readFileSync(path);
}

function entriesOf(folder: string) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith("."))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function isRecording(name: string): boolean {
  return name.endsWith(".json") && !name.startsWith(".");
}

/** As they were made: by the number at the end of their names, then by name. */
function inOrder(one: LoadedRecording, other: LoadedRecording): number {
  return numberOf(one) - numberOf(other) || (one.file < other.file ? -1 : 1);
}

function numberOf({ file }: LoadedRecording): number {
  return Number(/-(\d{1,9})\.json$/.exec(file)?.[1] ?? 0);
}
