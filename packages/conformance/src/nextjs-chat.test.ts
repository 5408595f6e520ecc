import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createEmulator } from "@model-gateway/emulator";
import {
  dataEvent,
  END_MARKER,
  type Ending,
  HEAD,
  replay,
  type ScenarioServer,
  startScenarioServer,
  type WireEvent,
} from "@model-gateway/scenario-server";
import { type RouteServer, serveRoutes } from "@model-gateway/test-servers";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { launchBrowser } from "./browser.js";
import { openLink } from "./network-link.js";
import { ROOT } from "./wire-ledger.js";

const EXAMPLE = join(ROOT, "examples/nextjs-chat");
const KEY = "sk-only-the-server-knows";

const emulator = createEmulator({ seed: 1 });
/** Kept from the build on, where a key could be written into the bundles. */
let environment: NodeJS.ProcessEnv;

function runNext(commandLine: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const next = join(EXAMPLE, "node_modules/next/dist/bin/next");
  return spawn(process.execPath, [next, ...commandLine], {
    cwd: EXAMPLE,
    env: { ...environment, ...more },
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
  const build = runNext(["build", "--webpack"]);
  let printed = "";
  for (const stream of [build.stdout, build.stderr]) stream.on("data", (text) => (printed += String(text)));
  const [code] = await once(build, "close");
  if (code !== 0) throw new Error(`The example could not be built:\n${printed}`);
}, 240_000);

afterAll(() => emulator.close());

/** Starts the built example, and ends it with the test. @returns its address */
async function startExample(more: NodeJS.ProcessEnv = {}): Promise<string> {
  const server = runNext(["start", "--hostname", "127.0.0.1", "--port", "0"], more);
  const ended = once(server, "exit");
  onTestFinished(async () => {
    server.kill();
    await ended;
  });
  return new Promise<string>((resolve, reject) => {
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
}

async function ask(page: Page, question: string): Promise<void> {
  await page.getByLabel("Question").fill(question);
  await page.getByRole("button", { name: "Send" }).click();
}

it("the Next.js example streams an answer and a tool result into the page, and keeps the key", async () => {
  const origin = await startExample();
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(20_000);
    const received: Promise<string>[] = [];
    page.on("response", (response) => received.push(response.text().catch(() => "")));
    await page.goto(origin);
    await ask(page, "What is 6 times 7?");
    await page.locator('[data-role="assistant"]').getByText("42").waitFor();
    await page.getByRole("button", { name: "Send" }).waitFor();
    await ask(page, "What is the weather in Paris?");
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

describe("useChat in a browser, on streams whose events arrive one by one", () => {
  const delta = (fields: object, finish: string | null = null): WireEvent => ({
    ...dataEvent({ ...HEAD, choices: [{ index: 0, delta: fields, finish_reason: finish }] }),
    ...(finish === null ? {} : { finishes: true as const }),
  });
  const USAGE = dataEvent({ ...HEAD, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } });
  const TEXT = [
    delta({ role: "assistant", content: "" }),
    ...[..."Slow but whole."].map((letter) => delta({ content: letter })),
    delta({}, "stop"),
    USAGE,
    END_MARKER,
  ];
  const CALL = [
    delta({ role: "assistant", content: null }),
    delta({
      tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "weather", arguments: "" } }],
    }),
    ...[...'{"city":"Paris"}'].map((letter) =>
      delta({ tool_calls: [{ index: 0, function: { arguments: letter } }] }),
    ),
    delta({}, "tool_calls"),
    USAGE,
    END_MARKER,
  ];
  const slowly = (events: readonly WireEvent[], ending: Ending = "proper") =>
    replay({ events, ending, pace: "events" });

  let gateway: ScenarioServer;
  beforeAll(async () => {
    gateway = await startScenarioServer();
  });
  afterAll(() => gateway.close());

  it.each([
    ["Node", "/"],
    ["the edge runtime", "/edge"],
  ])(
    "answers end, tools run and breaks are told, with a route in %s",
    async (_runtime, path) => {
      const origin = await startExample({ MODEL_GATEWAY_BASE_URL: gateway.url });
      const before = gateway.requests.length;
      const browser = await launchBrowser();
      try {
        const page = await browser.newPage();
        page.setDefaultTimeout(20_000);
        await page.goto(origin + path);
        const answers = page.locator('[data-role="assistant"]');
        const ready = page.getByRole("button", { name: "Send" });
        const alert = page.getByRole("alert").filter({ hasText: "did not arrive" });

        gateway.answerOnce(slowly(TEXT));
        await ask(page, "Are you there?");
        await answers.first().getByText("Slow but whole.").waitFor();
        await ready.waitFor();

        gateway.answerOnce(slowly(CALL), slowly(TEXT));
        await ask(page, "How warm is it in Paris?");
        await page.locator('[data-tool="weather"]').getByText("weather in Paris: 21 °C").waitFor();
        await answers.nth(1).getByText("Slow but whole.").waitFor();
        await ready.waitFor();
        expect(await alert.count()).toBe(0);

        gateway.answerOnce(slowly(TEXT, "rst"));
        await ask(page, "Once more?");
        await alert.waitFor();
        await answers.nth(2).getByText("Slow but whole.").waitFor();
        await ready.waitFor();

        gateway.answerOnce(slowly(CALL, "no-finish"));
        await ask(page, "And in Berlin?");
        await ready.waitFor();
        await alert.waitFor();
        expect(await page.locator('[data-tool="weather"]').count()).toBe(1);
        expect(gateway.requests.length - before).toBe(5);
      } finally {
        await browser.close();
      }
    },
    120_000,
  );
});

describe("a page whose answer is on its way", () => {
  const QUESTION = "Explain at length how a river finds its way to the sea.";
  /** What the model says, all of it. */
  let answer: string;
  /** The emulator, whose streams stop after some events until they are let go on. */
  let gate: RouteServer;
  let goOn: () => void;
  let goneOn: Promise<void>;
  beforeEach(() => {
    goneOn = new Promise((resolve) => {
      goOn = resolve;
    });
  });
  afterAll(() => gate.close());
  beforeAll(async () => {
    gate = await serveRoutes(() => ({
      async POST(request) {
        const { body, status, headers } = await emulator.fetch(request);
        const reader = body?.getReader();
        let events = 0;
        const held = new ReadableStream<Uint8Array>({
          async pull(controller) {
            if (++events > 8) await goneOn;
            const { done, value } = (await reader?.read()) ?? { done: true };
            if (done) controller.close();
            else controller.enqueue(value);
          },
          cancel: (reason) => reader?.cancel(reason),
        });
        return new Response(held, { status, headers });
      },
    }));
    const response = await emulator.fetch(
      new Request(`${emulator.url}/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "local-chat", messages: [{ role: "user", content: QUESTION }] }),
      }),
    );
    const completion = (await response.json()) as { choices: [{ message: { content: string } }] };
    answer = completion.choices[0].message.content;
    expect(answer.length).toBeGreaterThan(60);
  });

  /** Opens the page, and asks for an answer that takes its time. */
  async function open(path: string) {
    const origin = await startExample({ MODEL_GATEWAY_BASE_URL: `${gate.origin}/v1` });
    const browser = await launchBrowser();
    onTestFinished(() => browser.close());
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const link = await openLink(origin);
    onTestFinished(() => link.close());
    await page.goto(link.origin + path);
    await page.getByLabel("Question").waitFor();
    const before = { requests: emulator.journal.list().length, paid: emulator.ledger.list().length };
    await ask(page, QUESTION);
    const answered = page.locator('[data-role="assistant"]');
    const textOf = async (of: Page = page) =>
      (await of.locator('[data-role="assistant"] p').allTextContents()).join("");
    await expect.poll(() => textOf().then(({ length }) => length)).toBeGreaterThan(0);
    const isReady = (of: Page = page) => of.getByRole("button", { name: "Send" }).waitFor();
    const spent = () => ({
      requests: emulator.journal.list().length - before.requests,
      paid: emulator.ledger.list().length - before.paid,
    });
    return { link, context, page, answered, textOf, isReady, spent };
  }

  const ROUTES = [
    ["Node", "/"],
    ["the edge runtime", "/edge"],
  ] as const;

  it.each(ROUTES)(
    "that goes offline and comes back shows it whole, and it is paid once, with a route in %s",
    async (_runtime, path) => {
      const { link, context, page, answered, textOf, isReady, spent } = await open(path);
      await context.setOffline(true);
      link.down();
      await page.getByRole("alert").filter({ hasText: "did not arrive" }).waitFor();
      const half = await textOf();
      expect(half.length).toBeLessThan(answer.length);
      goOn();
      await expect.poll(() => emulator.journal.list().at(-1)?.complete).toBe(true);
      link.up();
      await context.setOffline(false);
      await expect.poll(() => textOf()).toBe(answer);
      await isReady();
      expect(await answered.count()).toBe(1);
      expect(spent()).toEqual({ requests: 1, paid: 1 });
    },
    120_000,
  );

  it.each(ROUTES)(
    "that is loaded again shows it whole, and nobody else does, with a route in %s",
    async (_runtime, path) => {
      const { link, context, page, answered, textOf, isReady, spent } = await open(path);
      const half = await textOf();
      await page.reload();
      await page.getByRole("button", { name: "Stop" }).waitFor();
      await expect.poll(() => textOf()).toBe(half);
      goOn();
      await expect.poll(() => textOf()).toBe(answer);
      await isReady();
      expect(await answered.count()).toBe(1);
      expect(await page.locator('[data-role="user"]').textContent()).toContain(QUESTION);
      await page.reload();
      await isReady();
      await expect.poll(() => textOf()).toBe(answer);
      expect(await answered.count()).toBe(1);

      const address = `${link.origin}${path}${new URL(page.url()).hash}`;
      const own = await context.newPage();
      await own.goto(address);
      await expect.poll(() => textOf(own)).toBe(answer);
      // Not by another page: contexts of a browser in one process may send each other's cookies.
      const id = new URL(page.url()).hash.slice(1);
      const stream = link.origin + (path === "/" ? `/api/chat/${id}/stream` : `/api/edge-chat?key=${id}`);
      const [visitor] = await context.cookies();
      const statusFor = async (cookie: string) => (await fetch(stream, { headers: { cookie } })).status;
      expect(await statusFor(`visitor=${visitor?.value}`)).toBe(200);
      expect(await statusFor(`visitor=${crypto.randomUUID()}`)).toBe(204);
      expect(await statusFor("")).toBe(403);
      expect(spent()).toEqual({ requests: 1, paid: 1 });
    },
    120_000,
  );

  it.each(ROUTES)(
    "stops it for good, with a route in %s",
    async (_runtime, path) => {
      const { page, textOf, isReady, spent } = await open(path);
      await page.getByRole("button", { name: "Stop" }).click();
      await isReady();
      await expect.poll(() => emulator.journal.list().at(-1)?.durationMs).toBeGreaterThan(0);
      expect(emulator.journal.list().at(-1)?.complete).toBe(false);
      const half = await textOf();
      expect(answer.startsWith(half)).toBe(true);
      await page.reload();
      await isReady();
      await expect.poll(() => textOf()).toBe(half);
      expect(spent().requests).toBe(1);
    },
    120_000,
  );
});
