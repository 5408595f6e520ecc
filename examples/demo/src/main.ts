import { mkdir, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { createEmulator } from "@model-gateway/emulator";
import { closeMedia } from "@model-gateway/emulator-media";
import Table from "cli-table3";
import { runDemo } from "./run-demo.js";

const output = join(dirname(fileURLToPath(import.meta.url)), "../output");

await rm(output, { recursive: true, force: true });
await mkdir(output, { recursive: true });

const emulator = await createEmulator({ seed: 1 }).listen({ port: 0 });
console.log(`Emulator at ${emulator.url}: no account, no network, no cost.`);
const reports = await runDemo(emulator, output);
await emulator.close();
await closeMedia();

const table = new Table({ head: ["what", "package", "time", "file", ""], style: { head: [], border: [] } });
for (const { what, package: name, seconds, file, ok } of reports) {
  table.push([what, name, `${seconds.toFixed(1)} s`, file, ok ? "ok" : "FAILED"]);
}
console.log(`\n${table.toString()}\n\nFiles are in ${relative(process.cwd(), output) || "."}/`);
if (reports.some(({ ok }) => !ok)) process.exitCode = 1;
