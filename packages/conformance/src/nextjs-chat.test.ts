import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createEmulator } from "@model-gateway/emulator";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { launchBrowser } from "./browser.js";
import { ROOT } from "./wire-ledger.js";

const EXAMPLE = join(ROOT, "examples/nextjs-chat");
const KEY = "sk-only-the-server-knows";

const emulator = createEmulator({ seed: 1 });
/** Kept from the build on, where a key could be written into the bundles. */
let environment: NodeJS.ProcessEnv;

function runNext(...commandLine: readonly string[]) {
  const next = join(EXAMPLE, "node_modules/next/dist/bin/next");
  return spawn(process.execPath, [next, ...commandLine], {
    cwd: EXAMPLE,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

beforeAll(async () => {
  await emulator.listen({ port: 0 });
  emulator.keys.add({ key: KEY, group: "default" });
  environment = {
    ...process.env,
    NODE_ENV: "production",
    NEXT_TELEMETRY_DISABLED: "1",
    MODEL_GATEWAY_API_KEY: KEY,
    MODEL_GATEWAY_BASE_URL: emulator.url,
  };
  const build = runNext("build", "--webpack");
  let printed = "";
  for (const stream of [build.stdout, build.stderr]) stream.on("data", (text) => (printed += String(text)));
  const [code] = await once(build, "close");
  if (code !== 0) throw new Error(`The example could not be built:\n${printed}`);
}, 240_000);

afterAll(() => emulator.close());

it("the Next.js example streams an answer and a tool result into the page, and keeps the key", async () => {
  const server = runNext("start", "--hostname", "127.0.0.1", "--port", "0");
  const ended = once(server, "exit");
  onTestFinished(async () => {
    server.kill();
    await ended;
  });
  const origin = await new Promise<string>((resolve, reject) => {
    let printed = "";
    for (const stream of [server.stdout, server.stderr]) {
      stream.on("data", (text) => {
        printed += String(text);
        const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
        if (address !== undefined && printed.includes("Ready")) resolve(address);
      });
    }
    server.once("exit", () => reject(new Error(`The example did not start:\n${printed}`)));
  });
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(20_000);
    const received: Promise<string>[] = [];
    page.on("response", (response) => received.push(response.text().catch(() => "")));
    await page.goto(origin);
    const ask = async (question: string) => {
      await page.getByLabel("Question").fill(question);
      await page.getByRole("button", { name: "Send" }).click();
    };
    await ask("What is 6 times 7?");
    await page.locator('[data-role="assistant"]').getByText("42").waitFor();
    await page.getByRole("button", { name: "Send" }).waitFor();
    await ask("What is the weather in Paris?");
    await page.locator('[data-tool="weather"]').getByText("weather in Paris: 21 °C").waitFor();
    await page.getByRole("button", { name: "Send" }).waitFor();
    expect(await page.locator('[data-role="assistant"]').count()).toBe(2);
    expect(await page.locator('[data-role="assistant"]').last().textContent()).toMatch(/21.*21/s);
    expect(await page.getByRole("alert").filter({ hasText: "answer" }).count()).toBe(0);
    mkdirSync(join(EXAMPLE, "output"), { recursive: true });
    await page.screenshot({ path: join(EXAMPLE, "output/chat.png") });

    const seen = await Promise.all(received);
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.join()).toContain("Model gateway chat");
    expect(seen.concat(await page.content()).filter((text) => text.includes(KEY))).toEqual([]);
  } finally {
    await browser.close();
  }
  const bundles = join(EXAMPLE, ".next/static");
  const files = readdirSync(bundles, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(files.length).toBeGreaterThan(3);
  for (const { parentPath, name } of files) {
    expect(readFileSync(join(parentPath, name), "utf8")).not.toContain(KEY);
  }
  expect(emulator.journal.list({ path: "/chat/completions" }).every(({ status }) => status === 200)).toBe(
    true,
  );
}, 120_000);
