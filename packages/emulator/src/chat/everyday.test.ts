import { describe, expect, it } from "vitest";
import {
  complaintsOf,
  type EverydayAnswer,
  everydayPrompts,
  requestOf,
} from "../testing/everyday-prompts.js";
import { startEmulator } from "../testing/start-emulator.js";

const MONDAY = Date.UTC(2026, 2, 2, 9);

describe.each(["en", "de", "zh"])("everyday prompts in %s", (language) => {
  it("are answered as a reader would expect", async () => {
    const { emulator, post } = await startEmulator();
    await emulator.clock.set(MONDAY);
    const wrong: string[] = [];
    const prompts = everydayPrompts(language);
    for (const prompt of prompts) {
      const response = await post("/chat/completions", requestOf(prompt));
      const body = (await response.json()) as { choices: { message: EverydayAnswer }[] };
      const [choice] = body.choices;
      if (choice === undefined) throw new Error(JSON.stringify(body));
      const complaints = complaintsOf(prompt.expect, choice.message);
      if (complaints.length > 0)
        wrong.push(
          `${prompt.kind}: ${prompt.ask ?? JSON.stringify(prompt.messages?.at(-1))}\n→ ${choice.message.content}\n  ${complaints.join(", ")}`,
        );
    }
    if (process.env["EVERYDAY"]) console.log(wrong.join("\n\n"));
    console.log(`${language}: ${prompts.length - wrong.length} of ${prompts.length}`);
    expect(1 - wrong.length / prompts.length).toBeGreaterThan(0.75);
  });
});
