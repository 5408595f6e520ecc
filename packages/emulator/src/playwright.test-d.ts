import { test as base } from "@playwright/test";
import { type EmulatorFixtures, type EmulatorWorkerFixtures, emulatorFixtures } from "./playwright.js";

// Compiled, and never run: the types of the fixtures are those that Playwright expects.
const test = base.extend<EmulatorFixtures, EmulatorWorkerFixtures>(emulatorFixtures({ seed: 1 }));

test("is given an emulator beside what Playwright gives", async ({ page, emulator }) => {
  emulator.replies.add({ reply: "Hello" });
  await page.goto(emulator.url);
  // @ts-expect-error: there is no such fixture.
  test("has no other", async ({ emulators }) => emulators);
});
