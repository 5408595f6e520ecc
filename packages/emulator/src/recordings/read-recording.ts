import { Field } from "../checks/field.js";
import { collectMembers, type Readers } from "../checks/read-members.js";
import { isRecord } from "../json/is-record.js";
import { lineAt, locateJSON } from "../json/locate-json.js";
import {
  type CallRecording,
  RECORDED_ENDS,
  RECORDING_VERSION,
  type RecordedEvent,
  type RecordedFailure,
  type RecordedField,
  type RecordedRequest,
  type RecordedResponse,
} from "./call-recording.js";
import { mediaNamesIn } from "./embedded-media.js";

const FIELD: Readers<RecordedField> = {
  name: (field) => field.string(),
  text: (field) => field.string(),
  file: (field) => field.string(),
};
const REQUEST: Readers<RecordedRequest> = {
  method: (field) => field.nonEmptyString(),
  path: (field) => field.nonEmptyString(),
  json: ({ value }) => value,
  form: (field) => list<RecordedField>(field, FIELD, ["name"]),
  text: (field) => field.string(),
  bytes: (field) => field.string(),
};
const EVENT: Readers<RecordedEvent> = {
  atMs: readMs,
  event: (field) => field.string(),
  data: ({ value }) => value,
  text: (field) => field.string(),
  base64: (field) => field.string(),
};
const RESPONSE: Readers<RecordedResponse> = {
  status: (field) => field.integer({ min: 200, max: 599 }),
  headers: readHeaders,
  headMs: readMs,
  json: ({ value }) => value,
  layout: (field) =>
    part(
      field,
      {
        spacing: (spacing) => spacing.oneOf(["compact", "spaced", "indented"]),
        escapes: (escapes) => escapes.oneOf(["none", "html", "ascii"]),
      } as Readers<NonNullable<RecordedResponse["layout"]>>,
      ["spacing", "escapes"],
    ),
  events: (field) => list<RecordedEvent>(field, EVENT, ["atMs"]),
  text: (field) => field.string(),
  file: (field) => field.string(),
  origin: (field) => field.nonEmptyString(),
  end: (field) => field.oneOf(RECORDED_ENDS),
};
const FAILURE: Readers<RecordedFailure> = {
  status: (field) => field.integer({ min: 400, max: 599 }),
  code: (field) => field.string(),
  reason: (field) => field.string(),
};
const RECORDING: Readers<CallRecording> = {
  version: (field) => field.integer({ min: 1, max: RECORDING_VERSION }),
  request: (field) => part(field, REQUEST, ["method", "path"]),
  response: (field) => part(field, RESPONSE, ["status", "headers", "headMs", "end"]),
  failure: (field) => part(field, FAILURE, ["status", "code", "reason"]),
};
/** What stands beside a recording: a file of its own folder. */
const FILE_NAME = /^[A-Za-z0-9_-][\w-]*(?:\.[\w-]+)+$/;

/**
 * Reads a recording.
 *
 * @param path told in errors
 * @throws Error that names the lines of what is wrong with it
 */
export function parseRecording(text: string, path: string): CallRecording {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    const offset = locateJSON(text).error ?? text.length;
    throw new Error(
      `${path}:${lineAt(text, offset)} The recording is broken: ${error instanceof Error ? error.message : error}`,
    );
  }
  if (!isRecord(content)) throw new Error(`${path}:1 A recording is a JSON object.`);
  const { version } = content;
  if (typeof version === "number" && version > RECORDING_VERSION) {
    throw new Error(
      `${path} is of version ${version}; this emulator reads up to ${RECORDING_VERSION}. Update it, or delete the recording and make it anew.`,
    );
  }
  const body = Field.body(content);
  const recording = collectMembers(body, RECORDING, {
    vital: ["version", "request"],
    complete: true,
  }) as CallRecording;
  if ((recording.response === undefined) === (recording.failure === undefined)) {
    body.refuse("must hold either a response or a failure");
  }
  for (const name of filesOf(recording)) {
    if (!isFileName(name))
      body.get("response").refuse(`names a file that cannot lie beside it: ${JSON.stringify(name)}`);
  }
  if (body.noted.length === 0) return recording;
  const { offsets } = locateJSON(text);
  const lines = body.noted.map(
    (problem) => `${path}:${lineAt(text, offsetOf(problem, offsets))} ${problem}.`,
  );
  throw new Error(lines.join("\n"));
}

/** The names of the files beside a recording. */
export function filesOf({ response }: CallRecording): string[] {
  if (!response) return [];
  const inside = [response.json, ...(response.events ?? []).map(({ data }) => data)];
  const names = response.file === undefined ? [] : [response.file];
  // Checked where the recording is read.
  return [...names, ...(inside.flatMap(mediaNamesIn) as string[])];
}

function isFileName(name: unknown): boolean {
  return typeof name === "string" && FILE_NAME.test(name);
}

function readMs(field: Field): number | undefined {
  return field.number({ min: 0, max: 2 ** 31 - 1 });
}

function readHeaders(field: Field): Record<string, string> | undefined {
  const headers = field.object();
  if (headers === undefined) return undefined;
  try {
    new Headers(headers as Record<string, string>);
  } catch (error) {
    return field.refuse(`must be headers (${error instanceof Error ? error.message : error})`);
  }
  return headers as Record<string, string>;
}

function part<T extends object>(
  field: Field,
  readers: Readers<T>,
  vital: (keyof T & string)[],
): T | undefined {
  if (field.object() === undefined) return undefined;
  return collectMembers(field, readers, { vital, complete: true }) as T;
}

function list<T extends object>(
  field: Field,
  readers: Readers<T>,
  vital: (keyof T & string)[],
): T[] | undefined {
  return field.items()?.flatMap((item) => part(item, readers, vital) ?? []);
}

/** Of `response.events[3].atMs must be …`: where that stands, or the nearest around it that is there. */
function offsetOf(problem: string, offsets: ReadonlyMap<string, number>): number {
  let [path = ""] = problem.split(" ", 1);
  while (path !== "") {
    const offset = offsets.get(path);
    if (offset !== undefined) return offset;
    path = path.replace(/(?:^|\.)[^.[\]]*$|\[\d*\]$/, "");
  }
  return 0;
}
