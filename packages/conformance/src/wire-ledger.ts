import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Root of the repository. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../../..");

export interface Fixture {
  name: string;
  /** False for what the API description does not show and routes have been seen to send. */
  documented: boolean;
  /** The client call, such as `models.list`. */
  call: string;
  arguments: unknown[];
  answer: {
    status: number;
    headers?: Record<string, string>;
    /** Exactly one of the three. */
    body?: unknown;
    text?: string;
    events?: unknown[];
  };
  /** The result must contain this … */
  result?: unknown;
  /** … or the error must. */
  error?: Record<string, unknown>;
  /** The emulator answers the same request with an answer of this shape. */
  emulator?: boolean;
}

export interface Endpoint {
  method: "GET" | "POST";
  path: string;
  base: string;
  body: string;
  answer: string;
  required: string[];
  paid: boolean;
  call: string | null;
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

/** The bytes of an answer's body. */
export function bodyOf({ body, text, events }: Fixture["answer"]): string {
  if (text !== undefined) return text;
  if (events === undefined) return JSON.stringify(body);
  return events
    .map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`)
    .join("");
}

/** Headers of an answer, with the content type that its body calls for. */
export function headersOf({ headers, events }: Fixture["answer"]): Record<string, string> {
  return { "content-type": events === undefined ? "application/json" : "text/event-stream", ...headers };
}
