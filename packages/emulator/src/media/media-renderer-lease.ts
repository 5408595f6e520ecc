import { APIError } from "../http/api-error.js";
import type { MediaRenderer } from "./media-renderer.js";

const PACKAGE = "@model-gateway/emulator-media";

/** Emulators in this process that use the package; its workers serve them all and end with the last. */
let users = 0;

/** What the package offers, or why it offers nothing. */
type LoadedPackage = { exports: Partial<MediaRenderer>; reason?: string };

/** A use of the optional media package by one emulator. */
export class MediaRendererLease {
  private readonly packageName: string;
  private loaded: Promise<LoadedPackage> | undefined;

  constructor(packageName = PACKAGE) {
    this.packageName = packageName;
  }

  /** A use of something else that renders. */
  static of(exports: Partial<MediaRenderer>): MediaRendererLease {
    const lease = new MediaRendererLease();
    users += 1;
    lease.loaded = Promise.resolve({ exports });
    return lease;
  }

  /** One of the package's functions, loaded on first use; undefined when it is not there. */
  async find<Name extends keyof MediaRenderer>(name: Name): Promise<MediaRenderer[Name] | undefined> {
    return (await this.load()).exports[name];
  }

  /**
   * One of the package's functions.
   *
   * @param what what needs it, to begin a sentence with
   * @throws APIError 501 when it is not there
   */
  async require<Name extends keyof MediaRenderer>(name: Name, what: string): Promise<MediaRenderer[Name]> {
    const { exports, reason } = await this.load();
    return (
      exports[name] ?? unavailable(what, this.packageName, reason ?? `the installed version has no ${name}`)
    );
  }

  async release(): Promise<void> {
    const { loaded } = this;
    if (!loaded) return;
    this.loaded = undefined;
    users -= 1;
    if (users > 0) return;
    await (await loaded).exports.closeMedia?.();
  }

  private load(): Promise<LoadedPackage> {
    if (!this.loaded) {
      users += 1;
      this.loaded = importPackage(this.packageName);
    }
    return this.loaded;
  }
}

/** The name comes in a variable: the package is optional, and bundlers must not look for it. */
async function importPackage(specifier: string): Promise<LoadedPackage> {
  try {
    return { exports: (await import(specifier)) as Partial<MediaRenderer> };
  } catch (error) {
    return { exports: {}, reason: error instanceof Error ? error.message : String(error) };
  }
}

function unavailable(what: string, name: string, reason: string): never {
  throw new APIError(
    `${what} needs the package ${name}, which cannot be used (${reason}). ` +
      `Add or update it next to the emulator: npm install --save-dev ${name}.`,
    { status: 501, code: "media_unavailable" },
  );
}
