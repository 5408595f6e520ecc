import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createEmulator, type Emulator } from "@model-gateway/emulator";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { ROOT } from "./wire-ledger.js";

/** Inside a package, so that the examples find what they import. */
const FOLDER = join(ROOT, "packages/conformance/.readme");

let emulator: Emulator;

beforeAll(async () => {
  const videoTimings = { queuedMs: 1, runningMs: 1 };
  emulator = await createEmulator({ seed: 1, videoTimings }).listen({ port: 0 });
  await mkdir(FOLDER, { recursive: true });
});

afterAll(async () => {
  await emulator.close();
  await rm(FOLDER, { recursive: true, force: true });
});

it("the examples of core's README run, one after the other", async () => {
  const readme = await readFile(join(ROOT, "packages/core/README.md"), "utf8");
  const examples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code);
  expect(examples.length).toBeGreaterThan(5);
  const code = [
    "const saveSomewhere = (_text: string) => {};",
    ...examples,
    "export { done, drawn, edited, observed, remaining, speech, text, verdict };",
  ]
    .join("\n")
    .replaceAll("http://127.0.0.1:4010", new URL(emulator.url).origin)
    .replace(/"(fox\.\w+|data\/budget)"/g, (_, name: string) => JSON.stringify(join(FOLDER, name)));
  const file = join(FOLDER, "core.ts");
  await writeFile(file, code);
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  vi.spyOn(console, "log").mockReturnValue();
  onTestFinished(() => void vi.restoreAllMocks());
  const results = await import(file);
  const asked = (method: string, body?: string) =>
    new Request("http://localhost/answers?key=k", {
      method,
      headers: { "x-user": "ann" },
      ...(body !== undefined && { body }),
    });
  const answered = await results.POST(asked("POST", JSON.stringify({ question: "What is 6 times 7?" })));
  const answer = await answered.text();
  expect(answer).toMatch(/42[\s\S]*event: done/);
  expect(await (await results.GET(asked("GET"))).text()).toBe(answer);
  expect(await (await results.DELETE(asked("DELETE"))).json()).toEqual({ stopped: false });
  expect(results.done).toMatchObject({ status: "succeeded" });
  expect(results.speech.contentType).toBe("audio/wav");
  expect(results.verdict.action).toBe("block");
  expect(results.drawn).toHaveLength(1);
  expect(results.edited.images).toHaveLength(1);
  expect(results.remaining).toBe(Number.POSITIVE_INFINITY);
}, 60_000);
