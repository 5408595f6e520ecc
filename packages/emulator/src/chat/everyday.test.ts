import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import {
  complaintsOf,
  type EverydayAnswer,
  type EverydayPrompt,
  everydayPrompts,
  requestOf,
} from "../testing/everyday-prompts.js";
import { startEmulator } from "../testing/start-emulator.js";

const MONDAY = Date.UTC(2026, 2, 2, 9);
const LANGUAGES = { en: "English", de: "German", zh: "Chinese", fresh: "set aside" } as const;
const README = new URL("../../README.md", import.meta.url);
const GOOD = 0.85;
/** Of prompts that nobody looked at who wrote the rules. */
const FAIR = 0.6;

it("answers everyday prompts in each language as a reader would expect, as often as the README says", async () => {
  const { emulator, post } = await startEmulator();
  await emulator.clock.set(MONDAY);
  const complaintsAbout = async (prompt: EverydayPrompt) => {
    const response = await post("/chat/completions", requestOf(prompt));
    const { choices } = (await response.json()) as { choices: { message: EverydayAnswer }[] };
    const message = choices[0]?.message ?? { content: null };
    const complaints = complaintsOf(prompt.expect, message);
    if (complaints.length > 0 && process.env["EVERYDAY"])
      console.log(
        prompt.kind,
        prompt.ask ?? prompt.messages,
        message.content ?? message.tool_calls,
        complaints,
      );
    return complaints;
  };
  const kinds = new Map<string, string[]>();
  for (const [column, language] of Object.keys(LANGUAGES).entries()) {
    const prompts = everydayPrompts(language);
    const rights = new Map<string, { right: number; of: number }>();
    for (const prompt of prompts) {
      const { right, of } = rights.get(prompt.kind) ?? { right: 0, of: 0 };
      const isRight = (await complaintsAbout(prompt)).length === 0;
      rights.set(prompt.kind, { right: right + Number(isRight), of: of + 1 });
    }
    const right = [...rights.values()].reduce((sum, each) => sum + each.right, 0);
    rights.set("**all**", { right, of: prompts.length });
    for (const [kind, each] of rights) {
      const row = kinds.get(kind) ?? ["–", "–", "–", "–"];
      row[column] = `${each.right} of ${each.of}`;
      kinds.set(kind, row);
    }
    expect.soft(right / prompts.length, language).toBeGreaterThanOrEqual(language === "fresh" ? FAIR : GOOD);
  }
  const all = kinds.get("**all**") ?? [];
  kinds.delete("**all**");
  const table = [
    `| asked for | ${Object.values(LANGUAGES).join(" | ")} |`,
    "|---|---|---|---|---|",
    ...[...kinds, ["**all**", all] as const].map(([kind, row]) => `| ${kind} | ${row.join(" | ")} |`),
  ].join("\n");
  expect(readFileSync(README, "utf8")).toContain(table);
}, 60_000);
