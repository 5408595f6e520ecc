import { createHash } from "node:crypto";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import { EventSplitter } from "../http/event-splitter.js";
import { readUTF8 } from "../http/utf8.js";
import { WELL_KNOWN_KEY } from "../state/key-store.js";
import type { Upstream } from "../upstream/upstream.js";
import { UpstreamIdle } from "../upstream/upstream-idle.js";
import {
  type CallRecording,
  RECORDING_VERSION,
  type RecordedEnd,
  type RecordedRequest,
} from "./call-recording.js";
import { describeRequest, whatMatters } from "./describe-request.js";
import { describeResponse, type ReceivedAnswer } from "./describe-response.js";
import { EventLinks, type LinkLeader } from "./event-links.js";
import { groupFolder, slug } from "./group-folder.js";
import { letRead } from "./let-read.js";
import { loadRecordings } from "./load-recordings.js";
import { matchKey } from "./match-key.js";
import { RecordingFolder } from "./recording-folder.js";
import { Redactor } from "./redactor.js";
import type { RecordingEntry, Tape, TapedCall } from "./tape.js";
import { LINK_PREFIX, UpstreamLinks } from "./upstream-links.js";

/** How calls are recorded. */
export interface RecordOptions {
  /** The folder; it is made where it is missing. */
  dir: string;
  /** As of replaying: names of members that may differ among the calls that are numbered together. */
  ignore?: readonly string[];
}

/** A call whose recording has a place. */
interface Placing {
  request: RecordedRequest;
  group: string | null;
  /** Of all for equal requests. */
  stem: string;
  /** GETs that bring the same again are one recording, and get their number when that is known. */
  number: number | undefined;
  redactor: Redactor;
}

const BINARY = /^(?:image|audio|video)\/|^application\/(?:octet-stream|zip|pdf)\b/;
const HASH_LENGTH = 8;

/** Sends every call to the upstream, and writes down what came. */
export class Recorder implements Tape {
  readonly description: string;
  readonly #upstream: Upstream;
  readonly #folder: RecordingFolder;
  readonly #links: UpstreamLinks;
  readonly #secret: string | undefined;
  readonly #ignore: readonly string[];
  /** How many were recorded of each, and what the last one was. */
  readonly #numbers = new Map<string, { count: number; last: string }>();
  /** End what is under way. */
  readonly #open = new Set<(end: RecordedEnd) => void>();
  readonly #entries = new Map<string, RecordingEntry>();
  #group: string | null = null;

  /** @param secret the upstream's own key @throws Error when the folder cannot be written to, or holds what is broken */
  constructor({ dir, ignore = [] }: RecordOptions, upstream: Upstream, secret: string | undefined) {
    this.#upstream = upstream;
    this.#secret = secret;
    this.#ignore = ignore;
    this.#links = new UpstreamLinks(upstream.baseURL);
    this.#folder = new RecordingFolder(dir);
    this.description = `what ${upstream.baseURL} answers, in ${this.#folder.path}`;
    try {
      for (const { file, group, request } of loadRecordings(this.#folder.path)) {
        const { method, path } = request;
        this.#entries.set(file, { file, group: group === "" ? null : group, method, path, used: false });
      }
    } catch (error) {
      this.#folder.release();
      throw error;
    }
  }

  async answer(call: TapedCall): Promise<Answer> {
    const placing = await this.#place(call);
    call.explain(`It was sent on to ${this.#upstream.baseURL}, and is recorded.`);
    const started = performance.now();
    let response: Answer;
    try {
      response = await this.#send(call);
    } catch (error) {
      if (error instanceof APIError && error.status >= 500) {
        const { status, code, message } = error;
        // Where it is may be another place each time.
        const reason = placing.redactor.text(message.replaceAll(` ${this.#upstream.baseURL}`, ""));
        this.#write(placing, { failure: { status, code, reason } });
      }
      throw error;
    }
    const headMs = performance.now() - started;
    return this.#passOn(response, headMs, call, placing);
  }

  use(group: string | null): void {
    this.#group = group;
  }

  list(): RecordingEntry[] {
    return [...this.#entries.values()].map((entry) => ({ ...entry }));
  }

  /** What was recorded stays, and what comes is numbered after it. */
  reset(): void {
    this.#group = null;
  }

  async close(): Promise<void> {
    for (const end of [...this.#open]) end("left");
    await this.#folder.close();
  }

  async #place(call: TapedCall): Promise<Placing> {
    const group = this.#group;
    // The key that everybody knows is none: documents and answers name it.
    const redactor = new Redactor([this.#secret, call.token === WELL_KNOWN_KEY ? null : call.token]);
    const request = await describeRequest(call, redactor);
    const hash = matchKey(whatMatters(request, this.#ignore)).slice(0, HASH_LENGTH);
    const [path = ""] = request.path.replace(/^\/v1\//, "/").split("?");
    const stem = `${slug(call.method)}-${slug(path)}-${hash}`;
    const number = call.method === "GET" ? undefined : ++this.#numbersOf({ group, stem }).count;
    return { request, group, stem, number, redactor };
  }

  #send(call: TapedCall): Promise<Answer> {
    const { method, path, query, origin, contentType, accept, bytes, signal } = call;
    if (path.startsWith(LINK_PREFIX)) {
      const target = this.#links.target(path);
      if (target === undefined) {
        throw APIError.notFound(
          "No answer of this run led to this file. Links of an earlier one are good for replaying it only.",
          "no_such_link",
        );
      }
      return this.#upstream.download(target, signal);
    }
    const isBelow = path.startsWith("/v1/");
    const text =
      bytes.byteLength === 0 || contentType?.startsWith("multipart/") ? undefined : readUTF8(bytes);
    const restored = text === undefined ? bytes : this.#links.restore(text, origin);
    const search = query.size === 0 ? "" : `?${query}`;
    return this.#upstream.send({
      ...{ method, contentType, accept, signal },
      path: (isBelow ? path.slice("/v1".length) : path) + search,
      isBeside: !isBelow,
      body: bytes.byteLength === 0 ? undefined : restored,
    });
  }

  /** Gives an answer to the caller as it comes, with its links led, and writes it down when it has ended, however. */
  #passOn(response: Answer, headMs: number, call: TapedCall, placing: Placing): Answer {
    const { status, headers } = response;
    const pieces: ReceivedAnswer["pieces"][number][] = [];
    const started = performance.now();
    const leave = () => end("left");
    const end = (how: RecordedEnd) => {
      if (!this.#open.delete(end)) return;
      call.signal.removeEventListener("abort", leave);
      // Of what nobody waited for, nothing is known.
      if (how === "left" && pieces.length === 0) return;
      try {
        this.#describe({ status, headers, headMs, pieces, end: how }, call, placing);
      } catch (error) {
        // Whatever it holds that cannot be written down: its caller gets it.
        this.#folder.lose(placing.stem, error instanceof Error ? error : new Error(String(error)));
      }
    };
    this.#open.add(end);
    call.signal.addEventListener("abort", leave, { once: true });
    if (!(response.body instanceof ReadableStream)) {
      end("close");
      return new Answer(null, { status, headers });
    }
    const reader = response.body.getReader();
    // What links are led to may be longer.
    if (!BINARY.test(headers.get("content-type") ?? "")) headers.delete("content-length");
    const translate = this.#translator(headers.get("content-type") ?? "", call);
    let failure: unknown;
    const fail = async () => {
      await letRead(call.signal);
      throw failure;
    };
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        if (failure !== undefined) await fail();
        try {
          for (;;) {
            const { done, value } = await reader.read();
            if (done) break;
            pieces.push({ atMs: performance.now() - started, bytes: value });
            const translated = translate.push(value);
            for (const bytes of translated) controller.enqueue(bytes);
            if (translated.length > 0) return;
          }
          for (const bytes of translate.rest()) controller.enqueue(bytes);
          end("close");
          controller.close();
        } catch (error) {
          end(call.signal.aborted ? "left" : endOf(error));
          failure = error;
          // What came is taken before it is said that no more does.
          const rest = translate.rest();
          for (const bytes of rest) controller.enqueue(bytes);
          if (rest.length === 0) await fail();
        }
      },
      cancel: async (reason) => {
        end("left");
        await reader.cancel(reason);
      },
    });
    return new Answer(body, { status, headers });
  }

  /** Leads the links of a body on its way: a stream event by event, a text when it is whole. */
  #translator(type: string, call: TapedCall) {
    if (BINARY.test(type)) return { push: (bytes: Uint8Array) => [bytes], rest: () => [] };
    const lead = this.#leadTo(call.origin, call);
    if (type.startsWith("text/event-stream")) {
      const splitter = new EventSplitter();
      const links = new EventLinks(lead);
      return {
        push: (bytes: Uint8Array) => splitter.push(bytes).flatMap((event) => links.push(event)),
        rest: () => {
          const unfinished = splitter.rest();
          return [
            ...links.rest(),
            ...(unfinished.byteLength > 0 ? links.push(unfinished) : []),
            ...links.rest(),
          ];
        },
      };
    }
    const all: Uint8Array[] = [];
    return {
      push: (bytes: Uint8Array): Uint8Array[] => {
        all.push(bytes);
        return [];
      },
      rest: () => {
        const bytes = Buffer.concat(all.splice(0));
        const text = readUTF8(bytes);
        return bytes.byteLength === 0 ? [] : [text === undefined ? bytes : Buffer.from(lead.one(text))];
      },
    };
  }

  #leadTo(origin: string, { path }: TapedCall): LinkLeader {
    const options = { origin, filesOnly: !path.startsWith("/v1/chat/") };
    return {
      one: (text) => this.#links.lead([text], options)[0] ?? "",
      pieces: (pieces) => this.#links.lead(pieces, options),
    };
  }

  #describe(answer: ReceivedAnswer, call: TapedCall, placing: Placing): void {
    const files = new Map<string, Uint8Array>();
    const name = this.#nameOf(placing);
    const response = describeResponse(answer, {
      redactor: placing.redactor,
      leadTo: (origin) => this.#leadTo(origin, call),
      keep: (bytes, extension) => {
        const file = files.size === 0 ? `${name}.${extension}` : `${name}.${files.size + 1}.${extension}`;
        files.set(file, bytes);
        return file;
      },
    });
    this.#write(placing, { response }, files);
  }

  #write(
    placing: Placing,
    outcome: Pick<CallRecording, "response" | "failure">,
    files: ReadonlyMap<string, Uint8Array> = new Map(),
  ): void {
    const { request, group, number } = placing;
    const name = this.#nameOf(placing);
    if (number === undefined) {
      const numbers = this.#numbersOf(placing);
      const digest = digestOf({ ...outcome.response, headMs: 0, ...outcome.failure }, name, files);
      if (digest === numbers.last) return;
      numbers.count++;
      numbers.last = digest;
    }
    const folder = groupFolder(group);
    this.#folder.write({
      group: folder,
      name,
      recording: { version: RECORDING_VERSION, request, ...outcome },
      files,
    });
    const file = `${folder === "" ? "" : `${folder}/`}${name}.json`;
    const { method, path } = request;
    this.#entries.set(file, { file, group: folder === "" ? null : folder, method, path, used: true });
  }

  /** Of what a GET brings, that which it would be if it is new. */
  #nameOf(placing: Placing): string {
    return `${placing.stem}-${placing.number ?? this.#numbersOf(placing).count + 1}`;
  }

  #numbersOf({ group, stem }: Pick<Placing, "group" | "stem">): { count: number; last: string } {
    const key = `${groupFolder(group)}/${stem}`;
    const numbers = this.#numbers.get(key) ?? { count: 0, last: "" };
    this.#numbers.set(key, numbers);
    return numbers;
  }
}

/** The same for what only its number tells from another. */
function digestOf(outcome: object, name: string, files: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash("sha256").update(JSON.stringify(outcome).replaceAll(name, ""));
  for (const bytes of files.values()) hash.update(bytes);
  return hash.digest("hex");
}

function endOf(error: unknown): RecordedEnd {
  if (error instanceof UpstreamIdle) return "stall";
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return (cause?.code ?? code) === "ECONNRESET" ? "reset" : "cut";
}
