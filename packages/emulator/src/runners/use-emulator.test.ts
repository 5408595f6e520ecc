import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { bearer } from "../testing/start-emulator.js";
import { useEmulator } from "../vitest.js";

describe("useEmulator", () => {
  const seen: string[] = [];
  // Hooks run in reverse after the last test: this one finds the emulator closed.
  afterAll(async () => {
    const [url = ""] = seen;
    await expect(fetch(`${url}/models`)).rejects.toThrow("fetch failed");
  });
  const emulator = useEmulator({ keys: [{ key: "sk-team", group: "image_video" }] });
  beforeEach(() => {
    emulator.keys.add({ key: "sk-of-the-test", group: "auto" });
  });

  it.each(["the first test", "every other"])("is there, and as new, for %s", async () => {
    expect(emulator.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect(emulator.journal.list()).toEqual([]);
    expect(emulator.keys.list().map(({ key }) => key)).toEqual(["sk-emulator", "sk-team", "sk-of-the-test"]);
    expect((await fetch(`${emulator.url}/models`, { headers: bearer("sk-team") })).status).toBe(200);
    emulator.keys.remove("sk-team");
    seen.push(emulator.url);
  });

  it("keeps its port from test to test", () => {
    expect(new Set(seen)).toEqual(new Set([emulator.url]));
  });
});
