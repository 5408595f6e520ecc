import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { SimulationReport } from "@model-gateway/emulator/simulation";
import { expect, it, onTestFinished } from "vitest";

const PACKAGE = join(import.meta.dirname, "..");
const PAGE = join(PACKAGE, "..", "emulator", "docs", "simulation.md");

interface Blocks {
  failure: SimulationReport["failure"];
  report: SimulationReport;
  repaired: SimulationReport;
}

it("the blocks of the page find what it says", async () => {
  const page = await readFile(PAGE, "utf8");
  const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block).join("\n");
  const folder = await mkdtemp(join(PACKAGE, "docs-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const repaired = `
    async function writeWithName(path: string, text: string): Promise<void> {
      await writeSynced(path, text);
      const folder = await open(path.slice(0, path.lastIndexOf("/")), "r");
      await folder.sync();
      await folder.close();
    }
    const invariants = { "nothing paid is lost": false } as const;
    const repaired = await simulate({ app: named, runs: 500, invariants });
    ${careful(blocks)
      .replace("careful", "named")
      .replace('writeSynced(note, "done")', 'writeSynced(note + "-done", "done")')
      .replaceAll("await writeSynced(", "await writeWithName(")}
    export { failure, report, repaired };`;
  const file = join(folder, "blocks.ts");
  await writeFile(file, `${blocks}\n${repaired}`);
  const found = (await import(pathToFileURL(file).href)) as Blocks;
  const told = [...page.matchAll(/violation\); \/\/ (.*)/g)].map(([, violation]) => violation);
  expect([found.failure?.violation, found.report.failure?.violation]).toEqual(told);
  expect(found.failure?.faults).toHaveLength(1);
  expect([found.repaired.failure, found.repaired.runs]).toEqual([undefined, 500]);
});

/** The service of the page, to be repaired as the page says. */
function careful(blocks: string): string {
  return /async function careful[\s\S]*?^}/m.exec(blocks)?.[0] ?? "";
}
