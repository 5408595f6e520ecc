import { ApiError } from "../server/api-error.js";
import type { MediaRenderer } from "./media-renderer.js";

const PACKAGE = "@model-gateway/emulator-media";

/** Emulators in this process that use the package; its workers serve them all and end with the last. */
let users = 0;

/** A use of the optional media package by one emulator. */
export class MediaRendererLease {
  private readonly packageName: string;
  private renderer: Promise<MediaRenderer> | undefined;

  constructor(packageName = PACKAGE) {
    this.packageName = packageName;
  }

  /** Loads the package on first use. @throws ApiError 501 when it is not installed */
  load(): Promise<MediaRenderer> {
    if (!this.renderer) {
      users += 1;
      this.renderer = importRenderer(this.packageName);
    }
    return this.renderer;
  }

  async release(): Promise<void> {
    const renderer = this.renderer;
    if (!renderer) return;
    this.renderer = undefined;
    users -= 1;
    if (users > 0) return;
    const loaded = await renderer.catch(() => undefined);
    await loaded?.closeMedia();
  }
}

/** The name comes in a variable: the package is optional, and bundlers must not look for it. */
async function importRenderer(specifier: string): Promise<MediaRenderer> {
  const loaded: Partial<MediaRenderer> = await import(specifier).catch((error: unknown) => {
    throw mediaUnavailable(specifier, error instanceof Error ? error.message : String(error));
  });
  if (typeof loaded.renderVideo !== "function" || typeof loaded.closeMedia !== "function") {
    throw mediaUnavailable(specifier, "the installed version has no renderVideo and closeMedia");
  }
  return { renderVideo: loaded.renderVideo, closeMedia: loaded.closeMedia };
}

function mediaUnavailable(name: string, reason: string): ApiError {
  return new ApiError(
    `This file needs the package ${name}, which could not be loaded (${reason}). ` +
      `Add it next to the emulator: npm install --save-dev ${name}.`,
    { status: 501, code: "media_unavailable" },
  );
}
