import { ProcessLock } from "../../src/videos/journal/process-lock.js";

// Takes a lock and says how that went; on any message it gives it back and ends.
const { path, ...settings } = JSON.parse(process.argv[2] ?? "") as {
  path: string;
  waitMs: number;
  leaseMs: number;
};

try {
  const lock = await ProcessLock.acquire(path, { ...settings, warn: () => {} });
  process.once("message", async () => {
    await lock.release();
    process.disconnect();
  });
  process.send?.("held");
} catch (error) {
  process.send?.(String(error), () => process.disconnect());
}
