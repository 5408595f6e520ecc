import { spawn } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { MUTANTS, type Mutant } from "./mutants.js";

// Puts one fault after the other into a copy of the packages, and counts the worlds until the simulation finds it:
// `pnpm sim:mutants [words of the fault]`. Ends with 1 when one lives.

const REPOSITORY = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
const MAX_WORLDS = 2_000;
const AT_ONCE = 2;

const wanted = process.argv.slice(2).join(" ");
const mutants = MUTANTS.filter(({ fault }) => fault.includes(wanted));
const folders = await Promise.all(Array.from({ length: Math.min(AT_ONCE, mutants.length) }, copyRepository));
const found = new Map<Mutant, string>();
const left = [...mutants];
try {
  await Promise.all(
    folders.map(async (folder) => {
      for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
        found.set(mutant, await hunt(folder, mutant));
        console.error(`${found.size}/${mutants.length}  ${mutant.fault}: ${found.get(mutant)}`);
      }
    }),
  );
} finally {
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
}
console.table(mutants.map((mutant) => ({ fault: mutant.fault, found: found.get(mutant) })));
const alive = mutants.filter((mutant) => found.get(mutant) === "lives");
console.log(`${mutants.length - alive.length} of ${mutants.length} faults are found.`);
process.exitCode = alive.length > 0 ? 1 : 0;

/** @returns where and when it was found, or `lives` */
async function hunt(folder: string, { file, from, to, scenarios, fault }: Mutant): Promise<string> {
  const path = join(folder, "packages", file);
  const source = await readFile(path, "utf8");
  if (source.split(from).length !== 2)
    throw new Error(
      `"${fault}" cannot be put in: ${file} holds its line ${source.split(from).length - 1} times.`,
    );
  await writeFile(
    path,
    source.replace(from, () => to),
  );
  try {
    for (const scenario of scenarios) {
      const { code, output } = await simulate(folder, scenario);
      if (code === 0) continue;
      const seed = /^.*, seed (\d+): (.*)/m.exec(output);
      if (code !== 1 || seed === null) throw new Error(`"${fault}" could not be run:\n${output}`);
      return `after ${seed[1]} worlds of ${scenario}: ${seed[2]?.split(":", 1)[0]}`;
    }
    return "lives";
  } finally {
    await writeFile(path, source);
  }
}

function simulate(folder: string, scenario: string): Promise<{ code: number | null; output: string }> {
  const main = join(folder, "packages", "simulation", "src", "main.ts");
  const args = ["--import", "tsx", main, "--scenario", scenario, "--runs", String(MAX_WORLDS), "--no-shrink"];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: join(folder, "packages", "simulation") });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (text) => {
        output += text;
      });
    }
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}

/** The sources, with what they need installed: links that lead from package to package stay within the copy. */
async function copyRepository(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), "model-gateway-mutants-"));
  await symlink(join(REPOSITORY, "node_modules"), join(copy, "node_modules"));
  await cp(join(REPOSITORY, "tsconfig.base.json"), join(copy, "tsconfig.base.json"));
  for (const name of await readdir(join(REPOSITORY, "packages"))) {
    await cp(join(REPOSITORY, "packages", name), join(copy, "packages", name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.includes(`${sep}dist`) && !path.includes(`${sep}node_modules${sep}.vite`),
    });
  }
  return copy;
}
