import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { abortableDelay } from "../http/abortable-delay.js";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import { ConnectionDropped } from "../http/connection-dropped.js";
import { WELL_KNOWN_KEY } from "../state/key-store.js";
import type { CallRecording, RecordedEnd, RecordedResponse } from "./call-recording.js";
import { describeRequest, whatMatters } from "./describe-request.js";
import { explainMiss } from "./explain-miss.js";
import { groupFolder } from "./group-folder.js";
import { letRead } from "./let-read.js";
import { type LoadedRecording, loadRecordings, readRegularFile } from "./load-recordings.js";
import { matchKey } from "./match-key.js";
import { filesOf, parseRecording } from "./read-recording.js";
import { Redactor } from "./redactor.js";
import { type DuePiece, renderResponse } from "./render-response.js";
import type { RecordingEntry, Tape, TapedCall } from "./tape.js";

/** How calls are answered by recordings. */
export interface ReplayOptions {
  /** The folder that was recorded to. */
  dir: string;
  /** How fast: 1 as it was recorded, 0.5 in half of the time, 0 at once. Default 0. */
  timeScale?: number;
  /** Names of members of bodies, or fields of forms, that may differ, beside those that always may. */
  ignore?: readonly string[];
  /** What becomes of a call that was recorded less often: it gets the last recording `again`, the default, or is a `miss`. A GET gets the last again in any case. */
  exhausted?: "again" | "miss";
}

/** A recording in its place among those for equal requests. */
interface Placed extends LoadedRecording {
  used: boolean;
}

/** Answers each call by the recording that is for it. */
export class Replayer implements Tape {
  readonly description: string;
  readonly #folder: string;
  readonly #timeScale: number;
  readonly #options: ReplayOptions;
  readonly #recordings: Placed[];
  /** By group and what matters of their requests, in the order in which they are given. */
  readonly #byKey = new Map<string, Placed[]>();
  /** How many of them were given. */
  readonly #given = new Map<string, number>();
  #group: string | null = null;

  /** @throws Error when there are no recordings, or broken ones; TypeError for an option out of range */
  constructor(options: ReplayOptions) {
    const { dir, timeScale = 0, ignore, exhausted = "again" } = options;
    if (!(timeScale >= 0 && Number.isFinite(timeScale))) {
      throw new TypeError(`replay.timeScale must be a number of at least 0 (got ${timeScale}).`);
    }
    if (exhausted !== "again" && exhausted !== "miss") {
      throw new TypeError(`replay.exhausted must be again or miss (got ${exhausted}).`);
    }
    this.#options = options;
    this.#timeScale = timeScale;
    this.#folder = resolve(dir);
    if (!existsSync(this.#folder)) {
      throw new Error(`There is no folder ${this.#folder} to replay; record it first.`);
    }
    this.#recordings = loadRecordings(this.#folder).map((recording) => ({ ...recording, used: false }));
    if (this.#recordings.length === 0) {
      throw new Error(`There are no recordings in ${this.#folder}; record some first.`);
    }
    for (const recording of this.#recordings) {
      const key = placeOf(recording.group, matchKey(whatMatters(recording.request, ignore)));
      this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), recording]);
    }
    this.description = `${this.#recordings.length} recordings of ${this.#folder}`;
  }

  async answer(call: TapedCall): Promise<Answer> {
    const group = groupFolder(this.#group);
    const request = whatMatters(await describeRequest(call, redactorOf(call)), this.#options.ignore);
    const key = placeOf(group, matchKey(request));
    const recordings = this.#byKey.get(key) ?? [];
    const given = this.#given.get(key) ?? 0;
    this.#given.set(key, given + 1);
    const recording = recordings[Math.min(given, recordings.length - 1)];
    if (!recording) throw this.#miss(group, request);
    if (given >= recordings.length && call.method !== "GET" && this.#options.exhausted === "miss") {
      throw missing(`${describe(request)} was recorded ${recordings.length} times, and this is one more.`);
    }
    recording.used = true;
    call.explain(
      `Recorded in ${recording.file}${given >= recordings.length ? ", and given again: there are no more for such calls" : ""}.`,
    );
    return this.#replay(recording.file, call);
  }

  use(group: string | null): void {
    this.#group = group;
  }

  list(): RecordingEntry[] {
    return this.#recordings.map(({ file, group, request: { method, path }, used }) => ({
      ...{ file, group: group === "" ? null : group, method, path, used },
    }));
  }

  reset(): void {
    this.#given.clear();
    this.#group = null;
  }

  async close(): Promise<void> {}

  async #replay(file: string, call: TapedCall): Promise<Answer> {
    const path = join(this.#folder, file);
    const { recording, files } = readAnew(path);
    const { failure, response } = recording;
    const started = performance.now();
    await this.#due(response?.headMs ?? 0, started, call.signal);
    if (failure || !response) {
      const { status = 502, code = "upstream_unreachable", reason = "unknown" } = failure ?? {};
      throw new APIError(`${reason} So it was recorded in ${file}.`, { status, code });
    }
    const pieces = renderResponse(response, files, call.origin);
    return this.#respond(response, pieces, call);
  }

  #respond(
    { status, headers: recorded, end, events }: RecordedResponse,
    pieces: DuePiece[],
    call: TapedCall,
  ): Answer {
    if (end !== "close") call.explain(ENDS[end]);
    const headers = new Headers(recorded);
    const [only] = pieces;
    if (only && end === "close" && !events) headers.set("content-length", String(only.bytes.byteLength));
    const hasNoBody = status === 204 || status === 205 || status === 304;
    const body =
      pieces.length === 0 && (end === "close" || hasNoBody) ? null : this.#stream(pieces, end, call.signal);
    return new Answer(body, { status, headers });
  }

  #stream(pieces: DuePiece[], end: RecordedEnd, signal: AbortSignal): ReadableStream<Uint8Array> {
    const started = performance.now();
    let next = 0;
    return new ReadableStream({
      pull: async (controller) => {
        const piece = pieces[next++];
        if (piece) {
          await this.#due(piece.atMs, started, signal);
          controller.enqueue(piece.bytes);
        } else if (end === "close") controller.close();
        else {
          await letRead(signal);
          throw new ConnectionDropped({ isReset: end === "reset" });
        }
      },
    });
  }

  /** Waits for a moment, not for a time: what comes late is not later for it. */
  async #due(atMs: number, started: number, signal: AbortSignal): Promise<void> {
    const waitMs = started + atMs * this.#timeScale - performance.now();
    if (waitMs > 0) await abortableDelay(Math.min(waitMs, 2 ** 31 - 1), signal);
  }

  #miss(group: string, request: LoadedRecording["request"]): APIError {
    const inGroup = this.#recordings.filter((recording) => recording.group === group);
    const where = group === "" ? "" : ` in the group ${group}`;
    const elsewhere = this.#recordings.length - inGroup.length;
    const others =
      inGroup.length === 0 && elsewhere > 0
        ? ` ${elsewhere} recordings are in other groups: recordings.use names one.`
        : "";
    const candidates = inGroup.map(({ file, request: recorded }) => ({
      file,
      request: whatMatters(recorded, this.#options.ignore),
    }));
    return missing(
      `${describe(request)}${where} has no recording. ${explainMiss(request, candidates)}${others}`,
    );
  }
}

const ENDS: Record<Exclude<RecordedEnd, "close">, string> = {
  cut: "The connection ended before the answer did, as it was recorded.",
  reset: "The connection was reset before the answer ended, as it was recorded.",
  stall: "Nothing more came when it was recorded, and the connection was given up.",
  left: "Its caller left when it was recorded: nothing is known of the rest.",
};

function redactorOf({ token }: TapedCall): Redactor {
  return new Redactor([token === WELL_KNOWN_KEY ? null : token]);
}

/** 404 is sent again by no client. */
function missing(message: string): APIError {
  return new APIError(`${message} Record it again, or change the request.`, {
    status: 404,
    code: "no_recording",
  });
}

function placeOf(group: string, key: string): string {
  return `${group}/${key}`;
}

function describe({ method, path }: LoadedRecording["request"]): string {
  return `${method} ${path.length > 120 ? `${path.slice(0, 120)}…` : path}`;
}

/** Whoever mends a recording in an editor need not start again. @throws APIError when it is broken, or what it names is gone */
function readAnew(path: string): { recording: CallRecording; files: Map<string, Uint8Array> } {
  try {
    const recording = parseRecording(readRegularFile(path).toString("utf8"), path);
    const files = filesOf(recording).map(
      (name) => [name, readRegularFile(join(dirname(path), name))] as const,
    );
    return { recording, files: new Map(files) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new APIError(reason, { status: 500, code: "broken_recording" });
  }
}
