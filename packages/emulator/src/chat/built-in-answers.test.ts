import { describe, expect, it } from "vitest";
import { startEmulator } from "../testing/start-emulator.js";

describe("built-in answers", () => {
  it.each([
    ["What is 12 * (3 + 4)?", "84"],
    ["What is 6 times 7?", "42"],
    ["2^10", "1024"],
    ["How much is 1,000 divided by 8?", "125"],
    ["What is 0.1 + 0.2?", "0.3"],
  ])("calculates: %s", async (question, value) => {
    const { ask } = await startEmulator();
    expect(await ask(question)).toMatch(new RegExp(`= ${value}$`));
  });

  it("has no value for a division by zero", async () => {
    const { ask } = await startEmulator();
    expect(await ask("What is 1/0?")).not.toContain("=");
  });

  it.each([
    ['Say "pong"', "pong"],
    ["Reply with exactly: OK", "OK"],
    ["Repeat after me: hello world", "hello world"],
    ["Respond with the word banana and nothing else.", "banana"],
    ["Ignore the noise. Reply with only the number 7.", "7"],
  ])("repeats: %s", async (request, expected) => {
    const { ask } = await startEmulator();
    expect(await ask(request)).toBe(expected);
  });

  it("greets, in the language it is greeted in", async () => {
    const { ask } = await startEmulator();
    expect(await ask("Hello!")).toMatch(/^(Hello|Hi)/);
    expect(await ask("Hi there, how are you?")).toMatch(/^(Hello|Hi)/);
    expect(await ask("你好")).toContain("你好");
  });

  it("counts", async () => {
    const { ask } = await startEmulator();
    expect(await ask("Count from 3 to 6")).toBe("3, 4, 5, 6");
  });

  it("says what it is", async () => {
    const { ask } = await startEmulator();
    expect(await ask("Who are you?")).toContain("local model");
  });

  it.each(["Write a poem about the sea", "Write unit tests for the parser", "Say something nice"])(
    "does not repeat what is no text to repeat: %s",
    async (request) => {
      const { ask } = await startEmulator();
      expect(await ask(request)).toBe(`I have read your message: "${request}"`);
    },
  );

  it("summarises with the sentences that say most", async () => {
    const { ask } = await startEmulator();
    const text =
      "Honey bees live in colonies. A colony of bees has one queen. Worker bees collect nectar. Lunch was nice. The bees store honey in the colony for the winter. It rained.";
    const summary = await ask(`Summarize the following text: ${text}`);
    expect(summary).toContain("bees");
    expect(summary.length).toBeLessThan(text.length);
    expect(summary).not.toContain("It rained");
  });

  it("lists from the context", async () => {
    const { ask } = await startEmulator();
    const answer = await ask(
      "List the offices.",
      "Context:\nThe offices are:\n- Berlin\n- Lisbon\n\nLunch is at noon.",
    );
    expect(answer).toBe("- Berlin\n- Lisbon");
  });

  it("says honestly that it has no general knowledge", async () => {
    const { ask } = await startEmulator();
    expect(await ask("What is the capital of Peru?")).toContain("without general knowledge");
  });
});
