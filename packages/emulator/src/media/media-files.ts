import { createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Field } from "../checks/field.js";
import { collectMembers } from "../checks/read-members.js";
import { APIError } from "../http/api-error.js";
import type { ChangeLog, PartChanges } from "../persistence/change-log.js";
import type { KeptEntry } from "../persistence/kept-entry.js";
import type { KeptStore } from "../persistence/kept-store.js";
import { loadPart } from "../persistence/load-part.js";
import type { VirtualClock } from "../state/virtual-clock.js";
import { type FileRecipe, readFileRecipe } from "./file-recipe.js";

/** A file as it is served. */
export interface MediaFile {
  bytes: Uint8Array;
  mediaType: string;
  /** Set on what stands in for the file where the media package is missing; never kept in a folder. */
  fallback?: true;
}

/** Makes a file when somebody asks for it. */
export type RenderFile = (recipe: FileRecipe) => Promise<MediaFile>;

/** What the files of an emulator need beside its clock. */
export interface MediaFilesSettings {
  render: RenderFile;
  /** Where rendered files are kept as well, for people to open; in memory only without it. */
  folder?: string | undefined;
}

interface PublishedFile {
  path: string;
  recipe: FileRecipe;
}

const VALID_FOR_MS = 24 * 60 * 60 * 1_000;
const KEPT_FILES = 64;
const PUBLISHED_FILES = 2_000;
const FILES = "files";
const SECRET = "secret";
/** Two plain names: one that leads elsewhere is no path of a file. */
const PATH = /^[\w-]+\/[\w-]+(?:\.[\w-]+)?$/;
const MEDIA_TYPES: Record<string, string> = {
  mp4: "video/mp4",
  png: "image/png",
  jpeg: "image/jpeg",
  webp: "image/webp",
};

/**
 * The result files of all media: signed, expiring URLs, and the files behind them, rendered when first asked for and
 * kept while they are among the latest used.
 */
export class MediaFiles implements KeptStore {
  private secret = randomBytes(32);
  private readonly clock: VirtualClock;
  private readonly settings: MediaFilesSettings;
  private readonly files = new Map<string, Promise<MediaFile>>();
  private readonly published = new Map<string, FileRecipe>();
  private readonly changes: PartChanges | undefined;

  constructor(clock: VirtualClock, settings: MediaFilesSettings, changes?: ChangeLog) {
    this.clock = clock;
    this.settings = settings;
    this.changes = changes?.of(FILES);
  }

  /** Publishes `<owner>/<name>`; its URL is good for 24 hours of emulator time from `issuedAt`. */
  publish(origin: string, path: string, issuedAt: number, recipe: FileRecipe): string {
    if (!this.published.has(path)) this.put({ path, recipe });
    const expires = Math.floor((issuedAt + VALID_FOR_MS) / 1_000);
    return `${origin}/files/${path}?expires=${expires}&signature=${this.signature(path, String(expires))}`;
  }

  /** @throws APIError 403 when the URL was not signed here, or has expired */
  verify(path: string, query: URLSearchParams): void {
    const expires = query.get("expires") ?? "";
    const expected = Buffer.from(this.signature(path, expires));
    const given = Buffer.from(query.get("signature") ?? "");
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw new APIError("The signature of this file URL is not valid.", {
        status: 403,
        code: "invalid_signature",
      });
    }
    if (Number(expires) * 1_000 <= this.clock.now()) {
      throw new APIError("This file URL has expired: a result is served for 24 hours after it was made.", {
        status: 403,
        code: "url_expired",
      });
    }
  }

  /**
   * A published file; concurrent readers share one rendering, and a failure is not kept.
   *
   * @throws APIError 404 when there is none at the path
   */
  async read(path: string): Promise<MediaFile> {
    const recipe = this.published.get(path);
    if (!recipe) throw APIError.notFound("There is no such file, or it is gone.", "file_not_found");
    const file = this.files.get(path) ?? this.readOrRender(path, recipe);
    this.files.delete(path);
    this.files.set(path, file);
    for (const oldest of this.files.keys()) {
      if (this.files.size <= KEPT_FILES) break;
      this.files.delete(oldest);
    }
    try {
      return await file;
    } catch (error) {
      if (this.files.get(path) === file) this.files.delete(path);
      throw error;
    }
  }

  /** The file behind a URL that was signed here and is still good; undefined for any other URL. */
  async readByURL(url: string): Promise<MediaFile | undefined> {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    const path = /^\/files\/([^/]+\/[^/]+)$/.exec(parsed?.pathname ?? "")?.[1];
    if (!parsed || path === undefined || !this.published.has(path)) return undefined;
    try {
      this.verify(path, parsed.searchParams);
    } catch {
      return undefined;
    }
    return this.read(path);
  }

  *save(): Iterable<KeptEntry> {
    yield { part: SECRET, key: SECRET, value: { key: this.secret.toString("base64url") } };
    for (const [path, recipe] of this.published) yield { part: FILES, key: path, value: { path, recipe } };
  }

  load(state: Field): void {
    const readSecret = (entry: Field) => {
      const key = entry.get("key").nonEmptyString();
      const isKey = key === undefined || /^[\w-]{43}$/.test(key);
      return isKey ? key : entry.get("key").refuse("must be 32 bytes as Base64 for URLs");
    };
    loadPart(state, SECRET, readSecret, (key) => {
      this.secret = Buffer.from(key, "base64url");
    });
    const readPath = (field: Field) =>
      PATH.test(field.string() ?? "") ? (field.value as string) : field.refuse("must be two plain names");
    const read = (entry: Field) =>
      collectMembers<PublishedFile>(
        entry,
        { path: readPath, recipe: readFileRecipe },
        { vital: ["path", "recipe"], complete: true },
      ) as PublishedFile;
    loadPart(state, FILES, read, (file) => this.put(file));
  }

  /** What pictures are made of; of task files the task knows. */
  *ingredients(): Iterable<{ owner: string; inputs: readonly string[] }> {
    for (const [path, recipe] of this.published) {
      if (recipe.kind === "image") yield { owner: path.split("/")[0] ?? "", inputs: recipe.inputs };
    }
  }

  private put({ path, recipe }: PublishedFile): void {
    this.published.set(path, recipe);
    this.changes?.set(path, () => ({ path, recipe }));
    for (const oldest of this.published.keys()) {
      if (this.published.size <= PUBLISHED_FILES) break;
      this.published.delete(oldest);
      this.changes?.delete(oldest);
    }
  }

  private async readOrRender(path: string, recipe: FileRecipe): Promise<MediaFile> {
    const { folder, render } = this.settings;
    if (folder === undefined) return render(recipe);
    const filename = join(folder, path);
    const mediaType = MEDIA_TYPES[path.split(".").at(-1) ?? ""] ?? "application/octet-stream";
    // Written by this emulator before the file left memory.
    const kept = await readFile(filename).catch(() => undefined);
    if (kept) return { bytes: kept, mediaType };
    const file = await render(recipe);
    if (file.fallback) return file;
    // It can be made again: a disk without room keeps nobody from it.
    await writeWhole(filename, file.bytes).catch(() => undefined);
    return file;
  }

  private signature(path: string, expires: string): string {
    return createHmac("sha256", this.secret).update(`${path}\n${expires}`).digest("base64url");
  }
}

/** A process that ends in the middle must leave no half of a file. */
async function writeWhole(filename: string, bytes: Uint8Array): Promise<void> {
  const aside = `${filename}.${randomUUID()}.tmp`;
  await mkdir(dirname(filename), { recursive: true, mode: 0o700 });
  try {
    await writeFile(aside, bytes, { mode: 0o600 });
    await rename(aside, filename);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}
