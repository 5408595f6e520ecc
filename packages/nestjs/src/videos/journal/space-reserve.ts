import { randomBytes } from "node:crypto";
import { rm, stat, writeFile } from "node:fs/promises";

/** Room for the outcomes of some hundred submissions that are under way when the disk fills up. */
export const RESERVE_BYTES = 1_048_576;

/** Space on the disk that is taken in good time, and given up when it is needed. */
export class SpaceReserve {
  private state: "unknown" | "there" | "missing" = "unknown";

  constructor(private readonly path: string) {}

  /** Whether it was given up, or did not find room. */
  get isMissing(): boolean {
    return this.state === "missing";
  }

  /** Rejects with the system's error when there is no room for it. */
  async ensure(): Promise<void> {
    if (this.state === "there") return;
    try {
      // Random, because file systems store runs of zeros in no space at all.
      if ((await sizeOf(this.path)) !== RESERVE_BYTES) {
        await writeFile(this.path, randomBytes(RESERVE_BYTES), { mode: 0o600, flush: true });
      }
      this.state = "there";
    } catch (error) {
      await this.giveUp();
      throw error;
    }
  }

  async giveUp(): Promise<void> {
    this.state = "missing";
    await rm(this.path, { force: true });
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch {
    return undefined;
  }
}
