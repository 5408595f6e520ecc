import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator } from "@model-gateway/emulator";
import { expect, it, onTestFinished, vi } from "vitest";
import { runDemo } from "./run-demo.js";

const KEY = "sk-of-the-upstream-0123456789abcdef";

/** What a run made, by the names of its files. */
async function demoWith(emulator: ReturnType<typeof createEmulator>, output: string) {
  await mkdir(output);
  try {
    const reports = await runDemo(await emulator.listen({ port: 0 }), output);
    expect(reports.map(({ what, ok }) => [what, ok])).toEqual(reports.map(({ what }) => [what, true]));
    const files = reports.map(({ file }) => file);
    return new Map(
      await Promise.all(files.map(async (file) => [file, await readFile(join(output, file))] as const)),
    );
  } finally {
    await emulator.close();
  }
}

it("replays a recorded run byte for byte without its upstream, and holds no key of it", async () => {
  const quiet = [vi.spyOn(console, "log"), vi.spyOn(process.stdout, "write")];
  for (const spy of quiet) spy.mockImplementation(() => true);
  onTestFinished(() => {
    for (const spy of quiet) spy.mockRestore();
  });
  const folder = await mkdtemp(join(tmpdir(), "recorded-demo-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const dir = join(folder, "recordings");
  const upstream = await createEmulator({
    seed: 1,
    keys: [{ key: KEY, moderation: true }],
  }).listen({ port: 0 });
  onTestFinished(() => upstream.close());
  const recorder = createEmulator({ upstream: { baseURL: upstream.url, apiKey: KEY }, record: { dir } });
  const recorded = await demoWith(recorder, join(folder, "recorded"));
  await upstream.close();

  const replayer = createEmulator({ replay: { dir } });
  const replayed = await demoWith(replayer, join(folder, "replayed"));
  expect([...replayed.keys()]).toEqual(
    expect.arrayContaining(["answers.md", "boat.jpg", "fox.mp4", "answer.mp3"]),
  );
  for (const [file, bytes] of recorded) expect(replayed.get(file)?.equals(bytes), file).toBe(true);

  const written = await readdir(dir);
  expect(written.length).toBeGreaterThan(20);
  for (const name of written) {
    const bytes = await readFile(join(dir, name));
    for (const form of [KEY, Buffer.from(KEY).toString("base64").slice(0, -4)]) {
      expect(bytes.includes(form), `${name} holds ${form}`).toBe(false);
    }
    expect(bytes.toString("latin1"), name).not.toMatch(/[?&]signature=(?!\[redacted\])/);
  }
});
