import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type Child, compileChild, startChild } from "./child.js";
import type { TracedApplicationArgument, TracedSpan } from "./children/traced-application.js";
import { useEmulator } from "./use-emulator.js";

const POLL = "videos.retrieve";

it("one trace leads from the order over a killed process to the end, the download and what comes after", async () => {
  const { emulator, connection } = await useEmulator();
  const directory = await mkdtemp(join(tmpdir(), "traces-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const program = await compileChild("traced-application");
  onTestFinished(() => program.remove());
  const start = (submits: boolean) => {
    const argument: TracedApplicationArgument = { ...connection, directory, submits };
    return startChild(program.file, argument);
  };

  const killed = start(true);
  const before = await spansUntil(killed, (spans) => spans.filter(({ name }) => name === POLL).length > 2);
  killed.process.kill("SIGKILL");
  expect(await killed.exit).toBe("SIGKILL");

  const next = start(false);
  const after = await spansUntil(next, (spans) => spans.some(({ name }) => name === POLL));
  await emulator.videos.succeed(emulator.videos.list()[0]?.id ?? "");
  after.push(...(await spansUntil(next, () => false)));
  expect(await next.exit).toBe(0);

  const create = before.find(({ name }) => name === "generate_content local-video-2.0");
  const order = before.find(({ name }) => name === "order");
  expect(create?.parentId).toBe(order?.spanId);
  const traced = [...before, ...after];
  expect(new Set(traced.map(({ traceId }) => traceId))).toEqual(new Set([order?.traceId]));
  expect(after.map(({ name }) => name)).toEqual(
    expect.arrayContaining([POLL, "download", "mail the customer", "ship"]),
  );
  for (const { parentId } of traced.filter(({ name }) => name === POLL))
    expect(parentId).toBe(create?.spanId);
});

/** The spans that a program tells, until there are enough or the program ends. */
async function spansUntil(child: Child, enough: (spans: TracedSpan[]) => boolean): Promise<TracedSpan[]> {
  const spans: TracedSpan[] = [];
  while (!enough(spans)) {
    const span = await child.next();
    if (span === undefined) break;
    spans.push(span as TracedSpan);
  }
  return spans;
}
