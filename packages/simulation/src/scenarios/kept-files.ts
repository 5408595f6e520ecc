import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { ModelGateway } from "@model-gateway/core";
import type { World } from "@model-gateway/emulator/simulation";
import { FolderFileStore, type KeptFile } from "@model-gateway/nestjs";

const ORIGIN = "https://files.example";
const KEY = "films/1.mp4";
/** A disk takes note of what has arrived at each mebibyte. */
const LENGTHS = [3_000, 700_000, 2_200_000];
/** Of requests, from the first one on: then the server does what it should. */
const MOST_LIES = 5;
const MAX_ATTEMPTS = 30;

/** What a server does with one request, other than it should. */
const LIES = [
  "ignores the range",
  "has another film by now",
  "announces more than it sends",
  "sends another part than was asked for",
  "sends a part of another film",
  "has no such part",
  "says nothing of its version",
] as const;
type Lie = (typeof LIES)[number];

/**
 * A film that is kept in a folder, from a server that changes it, lies about parts and lengths and breaks off anywhere, by a
 * process that dies: what is kept is one of the films, whole, and what was written down of it is true.
 */
export async function keptFiles(world: World): Promise<void> {
  const server = new FilmServer(world);
  const gateway = new ModelGateway({ apiKey: world.apiKey, baseURL: world.baseURL, fetch: world.fetch });
  const store = () => new FolderFileStore({ directory: world.disk.path("files") });
  let kept: KeptFile | undefined;
  let attempts = 0;
  const service = world.service("keeper", async () => {
    while (kept === undefined) {
      if (++attempts > MAX_ATTEMPTS) throw new Error("the film cannot be kept");
      const source = (resume?: { from: number; version?: string }) =>
        gateway.download(`${ORIGIN}/film.mp4`, { ...(resume && { resume }) });
      kept = await store()
        .keep(source, KEY, { origin: "task-1" })
        .catch((error: Error) => {
          world.trace.add("keeper", `attempt ${attempts}: ${error.name}`);
          return undefined;
        });
      if (kept === undefined) await world.sleep(1_000);
    }
    const bytes = await readFile(store().pathOf(KEY));
    if (bytes.length !== kept.length || digestOf(bytes) !== kept.sha256)
      throw new Error("the film on disk is not what was written down of it");
    if (!server.films.some((film) => film.equals(bytes)))
      throw new Error(`the film on disk is none that the server ever had: ${bytes.length} bytes`);
    world.trace.add(
      "keeper",
      `${bytes.length} bytes, ${server.ranges} of ${server.requests} requests for a part`,
    );
  });
  await service.ended;
}

/** Serves one film after the other under the same address. */
class FilmServer {
  readonly films: Buffer<ArrayBuffer>[] = [];
  requests = 0;
  ranges = 0;
  readonly #world: World;
  readonly #lies: number;

  constructor(world: World) {
    this.#world = world;
    this.#lies = world.count("lies", 0, MOST_LIES);
    this.#change();
    world.serve(ORIGIN, (request) => this.#answer(request));
  }

  #answer(request: Request): Response {
    const number = ++this.requests;
    const lie = number <= this.#lies ? this.#world.pick(`request ${number}`, LIES) : undefined;
    if (lie === "has another film by now") this.#change();
    const [, from] = /^bytes=(\d+)-$/.exec(request.headers.get("range") ?? "") ?? [];
    const wanted = request.headers.get("if-range");
    if (from !== undefined) this.ranges += 1;
    if (lie !== undefined)
      this.#world.trace.add("server", `${from === undefined ? "" : `from ${from}: `}${lie}`);
    const isAsked = from !== undefined && (wanted === null || wanted === this.#version());
    return isAsked && lie !== "ignores the range" ? this.#part(Number(from), lie) : this.#whole(lie);
  }

  #whole(lie: Lie | undefined): Response {
    const film = this.#film();
    const length = film.length + (lie === "announces more than it sends" ? 100 : 0);
    return new Response(film, { headers: { "content-length": String(length), ...this.#etag(lie) } });
  }

  #part(from: number, lie: Lie | undefined): Response {
    if (lie === "sends a part of another film") this.#change();
    const film = this.#film();
    if (lie === "has no such part" || from >= film.length)
      return new Response("no", { status: 416, headers: { "content-range": `bytes */${film.length}` } });
    const start = lie === "sends another part than was asked for" ? Math.floor(from / 2) : from;
    const bytes = film.subarray(start);
    const length = bytes.length + (lie === "announces more than it sends" ? 100 : 0);
    const headers = {
      "content-length": String(length),
      "content-range": `bytes ${start}-${film.length - 1}/${film.length}`,
      ...this.#etag(lie),
    };
    return new Response(bytes, { status: 206, headers });
  }

  #etag(lie: Lie | undefined): { etag?: string } {
    return lie === "says nothing of its version" ? {} : { etag: this.#version() };
  }

  #version(): string {
    return `"${this.films.length}"`;
  }

  #film(): Buffer<ArrayBuffer> {
    return this.films.at(-1) as Buffer<ArrayBuffer>;
  }

  /** All films are as long as the first, so that a mixture of two is, too. */
  #change(): void {
    const number = this.films.length + 1;
    const length = this.films[0]?.length ?? this.#world.pick("length", LENGTHS);
    const film = Buffer.alloc(length);
    for (let at = 0; at < length; at += 4)
      film.writeUInt32LE(Math.imul(at + number, 2_654_435_761) >>> 0, Math.min(at, length - 4));
    this.films.push(film);
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
