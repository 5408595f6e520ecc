import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder of its own for a test, which is gone after it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "model-gateway-emulator-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
