import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { APIError } from "../http/api-error.js";
import type { VirtualClock } from "../state/virtual-clock.js";

/** A file as it is served. */
export interface MediaFile {
  bytes: Uint8Array;
  mediaType: string;
  /** Set on what stands in for the file where the media package is missing; never kept in a folder. */
  fallback?: true;
}

/** Makes a file when somebody asks for it. */
export type RenderFile = () => Promise<MediaFile>;

const VALID_FOR_MS = 24 * 60 * 60 * 1_000;
const KEPT_FILES = 64;
const PUBLISHED_FILES = 2_000;
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
export class MediaFiles {
  private readonly secret = randomBytes(32);
  private readonly clock: VirtualClock;
  private readonly folder: string | undefined;
  private readonly files = new Map<string, Promise<MediaFile>>();
  private readonly published = new Map<string, RenderFile>();

  /** @param folder where rendered files are kept as well, for people to open; in memory only without it */
  constructor(clock: VirtualClock, folder?: string) {
    this.clock = clock;
    this.folder = folder;
  }

  /** Publishes `<owner>/<name>`; its URL is good for 24 hours of emulator time from `issuedAt`. */
  publish(origin: string, path: string, issuedAt: number, render: RenderFile): string {
    this.published.delete(path);
    this.published.set(path, render);
    for (const oldest of this.published.keys()) {
      if (this.published.size <= PUBLISHED_FILES) break;
      this.published.delete(oldest);
    }
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
    const render = this.published.get(path);
    if (!render) throw APIError.notFound("There is no such file, or it is gone.", "file_not_found");
    const file = this.files.get(path) ?? this.readOrRender(path, render);
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

  reset(): void {
    this.files.clear();
    this.published.clear();
  }

  private async readOrRender(path: string, render: RenderFile): Promise<MediaFile> {
    if (this.folder === undefined) return render();
    const filename = join(this.folder, "files", path);
    const mediaType = MEDIA_TYPES[path.split(".").at(-1) ?? ""] ?? "application/octet-stream";
    // Written by this emulator before the file left memory.
    const kept = await readFile(filename).catch(() => undefined);
    if (kept) return { bytes: kept, mediaType };
    const file = await render();
    if (file.fallback) return file;
    await mkdir(dirname(filename), { recursive: true });
    await writeFile(filename, file.bytes);
    return file;
  }

  private signature(path: string, expires: string): string {
    return createHmac("sha256", this.secret).update(`${path}\n${expires}`).digest("base64url");
  }
}
