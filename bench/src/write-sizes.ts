// Bundles clients by the same settings and writes what they weigh into the README. `pnpm --filter @model-gateway/bench run sizes`
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleSize } from "../../scripts/bundle-size.mjs";

const here = dirname(fileURLToPath(import.meta.url));

/** What is imported, by what it is: ours, and below it what it is held against. */
const BUNDLES: ReadonlyArray<readonly [title: string, code: string]> = [
  ["core, chat", `export { createChat } from "@model-gateway/core/chat"`],
  ["core, embeddings", `export { createEmbeddings } from "@model-gateway/core/embeddings"`],
  ["core, images", `export { createImages } from "@model-gateway/core/images"`],
  ["core, speech", `export { createAudio } from "@model-gateway/core/audio"`],
  ["core, videos", `export { createVideos } from "@model-gateway/core/videos"`],
  [
    "core, the list of models: the least there is",
    `export { createModels } from "@model-gateway/core/models"`,
  ],
  ["core, whole", `export { ModelGateway } from "@model-gateway/core"`],
  ["`openai` VERSION, whole: it has no parts", `export { default } from "openai"`],
  ["`ky` VERSION: HTTP with retries, and nothing about models", `export { default } from "ky"`],
  ["ai-sdk-provider, language models", `export * from "@model-gateway/ai-sdk-provider/language"`],
  ["ai-sdk-provider, whole", `export { createModelGateway } from "@model-gateway/ai-sdk-provider"`],
  [
    "`@ai-sdk/openai-compatible` VERSION, whole",
    `export { createOpenAICompatible } from "@ai-sdk/openai-compatible"`,
  ],
];

const lines = [
  "| in a bundle | for Node | for browsers and workers |",
  "|---|---|---|",
  ...(await Promise.all(
    BUNDLES.map(async ([title, code]) => {
      const sizes = await Promise.all(
        [["node"], ["worker", "browser"]].map((conditions) => bundleSize(code, here, conditions)),
      );
      const cells = sizes.map(({ first, all }) =>
        all - first < 0.05 ? first.toFixed(1) : `${first.toFixed(1)}, later ${all.toFixed(1)} in all`,
      );
      return `| ${await withVersion(title)} | ${cells.join(" | ")} |`;
    }),
  )),
];
const rooms = new Map<string, [chat: number, whole: number]>();
for (const [column, title] of ["core, chat", "core, whole"].entries()) {
  const code = BUNDLES.find(([name]) => name === title)?.[1] ?? "";
  const { parts } = await bundleSize(code, here, ["node"]);
  for (const [path, kib] of parts) {
    const room = /core\/src\/([\w-]+)\//.exec(path)?.[1];
    if (room === undefined) continue;
    const shares = rooms.get(room) ?? [0, 0];
    shares[column as 0 | 1] += kib;
    rooms.set(room, shares);
  }
}
lines.push(
  "",
  "Of these, each room of core has its share:",
  "",
  "| room | in chat | in the whole |",
  "|---|---|---|",
);
for (const [room, shares] of [...rooms].sort(([, left], [, right]) => right[1] - left[1])) {
  lines.push(`| \`${room}/\` | ${shares.map((kib) => (kib < 0.05 ? "" : kib.toFixed(1))).join(" | ")} |`);
}
console.log(lines.join("\n"));

const path = join(here, "../README.md");
const readme = await readFile(path, "utf8");
const [before = "", after = ""] = readme.split(/<!-- sizes -->[\s\S]*<!-- end of sizes -->/);
await writeFile(path, `${before}<!-- sizes -->\n\n${lines.join("\n")}\n\n<!-- end of sizes -->${after}`);

async function withVersion(title: string): Promise<string> {
  const name = /`([^`]+)` VERSION/.exec(title)?.[1];
  if (name === undefined) return title;
  // Not every manifest can be imported by its name.
  const manifest = await readFile(join(here, "../node_modules", name, "package.json"), "utf8");
  return title.replace("VERSION", (JSON.parse(manifest) as { version: string }).version);
}
