import { describe, expect, it } from "vitest";
import { startEmulator } from "../testing/start-emulator.js";

/** Pieces as a splitter cuts them out of README files: through tables and through code. */
const RETRIEVED = [
  `| \`headers\`, \`fetch\` | | added to every request; used instead of the built-in transport |
| \`apiCache\` | \`false\` | whether answers that the API key may see are held; the variable part is the key of the cache |
| \`timeout\` | 60 000 ms | per attempt |`,
  `const answer = await client.ask("What is the key of the API?");
console.log(answer);
\`\`\`

## Options

The API key comes from the option \`apiKey\` or from the environment variable \`ACME_API_KEY\`.

| option | default | meaning |
|---|---|---|
| \`retries\` | 2 | attempts after the first |
| \`idleTimeout\` | 120 000 ms | longest silence between events |`,
  `## Start

\`\`\`sh
npm install acme-client
npx acme serve --port 4010
\`\`\`

## Errors

| class | status | when |
|---|---|---|
| \`LimitError\` | 429 | too many requests in a minute |
| \`KeyError\` | 401 | the key is missing or was deleted |

\`\`\`ts
import { Client } from "acme-client";
const client = new Client({ apiKey });`,
].join("\n\n");

async function askOver(context: string, question: string): Promise<string> {
  const { ask } = await startEmulator();
  return ask(`Context:\n${context}\n\nQuestion: ${question}`);
}

describe("answers over retrieved Markdown", () => {
  it.each([
    ["Which environment variable holds the API key?", "`ACME_API_KEY`", "apiCache"],
    ["What is the default of retries?", "default: 2", "idleTimeout"],
    ["What is the default of idleTimeout?", "120 000 ms", "retries"],
    ["When does a KeyError come?", "missing or was deleted", "LimitError"],
    ["Which command installs the client?", "npm install acme-client", "|"],
  ])("%s", async (question, expected, unrelated) => {
    const answer = await askOver(RETRIEVED, question);
    expect(answer).toContain(expected);
    expect(answer).not.toContain(unrelated);
  });

  it("name a row's columns, also when the table stands alone", async () => {
    const table = "| City | Zone |\n|:--|--:|\n| Oslo | north |\n| Porto | `a|b` |";
    expect(await askOver(table, "What is the zone of Porto?")).toBe("City: Porto, Zone: `a|b`");
  });

  it("cut a long passage at its cells and keep those that answer", async () => {
    const filler = (word: string) => Array.from({ length: 25 }, () => word).join(" ");
    const table = `| name | history | press | owner |\n|---|---|---|---|\n| harbour | ${filler("built")} | ${filler("reported")} | Clara Jensen is the owner |`;
    const answer = await askOver(table, "Who is the owner of the harbour?");
    expect(answer).toContain("name: harbour");
    expect(answer).toContain("Clara Jensen");
    expect(answer.length).toBeLessThanOrEqual(300);
  });

  it("never quote a whole code block or an endless sentence", async () => {
    const code = `\`\`\`ts\n${Array.from({ length: 60 }, (_, line) => `call the harbour(${line});`).join("\n")}\n\`\`\``;
    expect((await askOver(code, "How do I call the harbour?")).length).toBeLessThanOrEqual(900);
    const sentence = `The harbour ${Array.from({ length: 200 }, (_, part) => `has pier ${part}`).join(", ")}.`;
    expect((await askOver(sentence, "What has the harbour?")).length).toBeLessThanOrEqual(301);
  });
});
