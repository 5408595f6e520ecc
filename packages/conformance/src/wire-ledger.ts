import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { VideoFamily } from "@model-gateway/core";

/** Root of the repository. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../../..");

/** Of `body`, `text`, `base64` and `events` exactly one is given. */
export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  text?: string;
  base64?: string;
  events?: unknown[];
}

export interface Fixture {
  name: string;
  /** False for what the API description does not show and routes have been seen to send. */
  documented: boolean;
  /** The client call, such as `models.list`. */
  call: string;
  /** A file stands in it as `{ "$file": Base64, "mediaType": … }`. */
  arguments: unknown[];
  answer: Answer;
  /** Answers to the further requests of the call. */
  then?: Answer[];
  /** The result must contain this … */
  result?: unknown;
  /** … or the error must. */
  error?: Record<string, unknown>;
  /** The emulator answers the same request with an answer of this shape. */
  emulator?: boolean;
}

/** A notice that a gateway sends to a `callback_url`. */
export interface Callback {
  name: string;
  documented: boolean;
  /** The family, where the client is told. */
  family?: VideoFamily;
  payload: unknown;
  /** What the client reads must contain this. */
  result: Record<string, unknown>;
}

export interface Endpoint {
  method: "GET" | "POST";
  path: string;
  /** The base addresses below which it is served; all four where absent, beside them where empty. */
  bases?: string[];
  body: "json" | "multipart" | "none";
  answer: string;
  required: string[];
  paid: boolean;
  /** False for what the API description does not show. */
  documented?: boolean;
  /** Of an endpoint for videos. */
  family?: VideoFamily;
  /** The client call that serves it; several endpoints can have one. */
  call: string;
}

function readJSON<T>(path: string): T {
  return JSON.parse(readFileSync(join(ROOT, path), "utf8")) as T;
}

export const endpoints: Endpoint[] = readJSON<{ endpoints: Endpoint[] }>("wire/endpoints.json").endpoints;

/** Every fixture with its topic: `videos: a created task`. */
export const fixtures: Array<[title: string, fixture: Fixture]> = readdirSync(
  join(ROOT, "wire/fixtures"),
).flatMap((file) =>
  readJSON<{ fixtures: Fixture[] }>(`wire/fixtures/${file}`).fixtures.map((fixture): [string, Fixture] => [
    `${file.replace(".json", "")}: ${fixture.name}`,
    fixture,
  ]),
);

export const callbacks: Array<[name: string, callback: Callback]> = readJSON<{ callbacks: Callback[] }>(
  "wire/callbacks.json",
).callbacks.map((callback) => [callback.name, callback]);

/** The answers to the requests of a call, in order. */
export function answersOf({ answer, then = [] }: Fixture): Answer[] {
  return [answer, ...then];
}

/** The bytes of an answer's body. */
export function bodyOf({ body, text, base64, events }: Answer): Uint8Array<ArrayBuffer> {
  if (base64 !== undefined) return Uint8Array.from(Buffer.from(base64, "base64"));
  return new TextEncoder().encode(text ?? textOf(body, events));
}

function textOf(body: unknown, events: Answer["events"]): string {
  if (events === undefined) return JSON.stringify(body);
  return events
    .map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`)
    .join("");
}

/** Headers of an answer, with the content type that its body calls for. */
export function headersOf({ headers, events }: Answer): Record<string, string> {
  return { "content-type": events === undefined ? "application/json" : "text/event-stream", ...headers };
}
