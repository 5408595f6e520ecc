import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { createEmulator, type Emulator, type EmulatorOptions } from "@model-gateway/emulator";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { launchBrowser } from "./browser.js";
import { ROOT } from "./wire-ledger.js";

const BUILD = join(ROOT, "packages/emulator/console/build.mjs");
/** Pages by their links, and the first of their headings. */
const PAGES = {
  ...{ Calls: "Calls", Playground: "Playground", Tasks: "Video tasks", Callbacks: "Callbacks", Keys: "Keys" },
  ...{ Ledger: "Spent", Faults: "Faults", Script: "Scripted answers", Clock: "Clock", State: "Snapshots" },
};
const KEY = "sk-team-0123456789";
const QUESTION = [
  { role: "system", content: "Context:\nOrders ship within two days." },
  { role: "user", content: "When do orders ship?" },
];
const VIDEO = { model: "local-video-2.0", content: [{ type: "text", text: "a boat" }], resolution: "480p" };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "console-"));
  await promisify(execFile)(process.execPath, [BUILD, folder]);
});
afterAll(() => rm(folder, { recursive: true }));

async function startEmulator(more: EmulatorOptions = {}): Promise<Emulator> {
  const videoTimings = { queuedMs: 3_600_000, runningMs: 3_600_000 };
  const options = { keys: [{ key: KEY, quota: 500_000 }], videoTimings, ...more };
  return createEmulator(options, { consoleFolder: folder }).listen();
}

/** A call of a client, read to its end. */
async function call(emulator: Emulator, path: string, body: object, key = KEY): Promise<number> {
  const response = await fetch(emulator.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

/** A page of the console, with what it complains of and whom it asks. */
async function open(
  browser: Browser,
  emulator: Emulator,
  size = { width: 1_440, height: 900 },
  dark = false,
) {
  const page = await browser.newPage({ viewport: size, colorScheme: dark ? "dark" : "light" });
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  const hosts = new Set<string>();
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    // What the page made itself has no host.
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith("http")) hosts.add(host);
  });
  await page.goto(new URL("/_emulator", emulator.url).href);
  return { page, complaints, hosts };
}

describe("the console", () => {
  let browser: Browser;
  let emulator: Emulator;
  let page: Page;
  let complaints: string[];
  let hosts: Set<string>;
  const goTo = (name: string) =>
    page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
  const button = (name: string) => page.getByRole("button", { name, exact: true });

  beforeAll(async () => {
    browser = await launchBrowser();
    emulator = await startEmulator();
    ({ page, complaints, hosts } = await open(browser, emulator));
    await page.getByText("0 calls").waitFor();
  });
  afterAll(async () => {
    await browser.close();
    await emulator.close();
  });
  beforeEach(() => {
    emulator.reset();
    complaints.length = 0;
  });

  it("shows calls as they happen, and one whole: what came, what went, when, and why", async () => {
    await goTo("Calls");
    await call(emulator, "/chat/completions", { model: "local-chat", stream: true, messages: QUESTION });
    await page.getByRole("link", { name: /200 POST \/chat\/completions local-chat sk-…6789/ }).click();
    const detail = page.getByRole("region", { name: "Call", exact: true });
    await detail.getByLabel("What it says").getByText("Orders ship within two days.").waitFor();
    const events = detail.getByRole("list", { name: "Events" }).getByRole("listitem");
    await events.last().getByText("data: [DONE]").waitFor();
    expect(await events.first().textContent()).toMatch(/^[\d.]+ m?sdata: \{/);
    const why = detail.getByRole("list", { name: "Why it was answered so" });
    await why.getByText(/Quoted, score .* covers 100 %/).waitFor();
    const { units } = emulator.ledger.total();
    await detail.getByText(`(${units} units)`).waitFor();
    const downloading = page.waitForEvent("download");
    await detail.getByRole("link", { name: "Download" }).click();
    const file = await (await downloading).path();
    expect(await readFile(file, "utf8")).toContain("data: [DONE]");
    expect(await page.content()).not.toContain(KEY);
    await detail.getByRole("link", { name: "Close" }).click();
    await detail.waitFor({ state: "detached" });
  });

  it("sends a call again, edited, with its key", async () => {
    await goTo("Calls");
    await call(emulator, "/chat/completions", { model: "local-chat", messages: QUESTION });
    await page.getByRole("link", { name: /POST \/chat\/completions/ }).click();
    await page.getByText("Edit and send again").click();
    const body = page.getByRole("textbox", { name: "Body to send" });
    await body.fill((await body.inputValue()).replace("When do orders ship?", "What is 6 times 7?"));
    await button("Send").click();
    await page.getByRole("region", { name: "Call", exact: true }).getByText("6 * 7 = 42").first().waitFor();
    expect(emulator.journal.list({ key: KEY })).toHaveLength(2);
  });

  it("narrows the list by text, status, model and key, and is moved through by keyboard", async () => {
    await goTo("Calls");
    await call(emulator, "/chat/completions", { model: "local-chat", messages: QUESTION });
    await call(emulator, "/embeddings", { model: "local-embedding", input: "a" }, "sk-emulator");
    await call(emulator, "/embeddings", { model: "nothing", input: "a" });
    const rows = page.getByRole("list", { name: /^Calls/ }).getByRole("link");
    await expect.poll(() => rows.count()).toBe(3);
    const narrowed = async (label: string, value: string, count: number) => {
      await page.getByLabel(label, { exact: true }).selectOption(value);
      await expect.poll(() => rows.count()).toBe(count);
      await page.getByLabel(label, { exact: true }).selectOption("all");
    };
    await narrowed("Status", "4xx", 1);
    await narrowed("Model", "local-embedding", 1);
    await narrowed("Key", "sk-…6789", 2);
    await page.locator("main").focus();
    await page.keyboard.press("/");
    await page.keyboard.type("ORDERS SHIP");
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByLabel("Text", { exact: true }).fill("");
    await page.locator("main").focus();
    await page.keyboard.press("j");
    const heading = page
      .getByRole("region", { name: "Call", exact: true })
      .getByRole("heading", { level: 2 });
    await expect.poll(() => heading.textContent()).toMatch(/404 POST \/embeddings/);
    await page.keyboard.press("j");
    await expect.poll(() => heading.textContent()).toMatch(/200 POST \/embeddings/);
    await page.keyboard.press("k");
    await expect.poll(() => heading.textContent()).toMatch(/404 POST \/embeddings/);
    await page.keyboard.press("Escape");
    await heading.waitFor({ state: "detached" });
    await button("Clear").click();
    await page.getByText("No calls yet").waitFor();
    expect(emulator.journal.list()).toEqual([]);
  });

  it("shows video tasks with their timeline and film, and ends them by hand", async () => {
    await call(emulator, "/videos", VIDEO);
    await call(emulator, "/videos", VIDEO);
    await goTo("Tasks");
    const tasks = page
      .getByRole("list", { name: /^Video tasks/ })
      .getByRole("listitem")
      .filter({ hasText: "task_" });
    await tasks.nth(1).getByText("queued").first().waitFor();
    await tasks.first().getByLabel("Message").fill("out of film");
    await tasks.first().getByRole("button", { name: "Fail" }).click();
    await tasks.first().getByText("failed").first().waitFor();
    expect(emulator.videos.list()[1]).toMatchObject({ status: "failed", error: { message: "out of film" } });
    await emulator.clock.advance(7_200_001);
    const timeline = tasks.nth(1).getByRole("list", { name: "Timeline" });
    await expect
      .poll(() => timeline.getByRole("listitem").allTextContents())
      .toEqual([
        expect.stringMatching(/^queued/),
        expect.stringMatching(/^running/),
        expect.stringMatching(/^succeeded/),
      ]);
    await plays(tasks.nth(1).locator("video"));
  });

  it("keeps keys, groups and models, and adds up what they spend", async () => {
    await goTo("Keys");
    const form = page.getByRole("form", { name: "New key" });
    await form.getByLabel("New key").fill("sk-from-the-console");
    await form.getByLabel("Group").selectOption("image_video");
    await form.getByLabel("Quota, in units").fill("1000");
    await form.getByRole("button", { name: "Add" }).click();
    const row = page.getByRole("table", { name: "Keys" }).getByRole("row", { name: /sk-…sole/ });
    await row.getByText("image_video").waitFor();
    expect(emulator.keys.list().at(-1)).toMatchObject({ key: "sk-from-the-console", quota: 1_000 });
    await row.getByRole("button", { name: "Disable" }).click();
    await row.getByRole("button", { name: "Enable" }).waitFor();
    expect(await call(emulator, "/embeddings", {}, "sk-from-the-console")).toBe(401);
    await row.getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
    await form.getByLabel("New key").fill("no key");
    await form.getByRole("button", { name: "Add" }).click();
    await form.getByRole("alert").getByText('A key starts with "sk-"').waitFor();
    const models = page.getByRole("form", { name: "New model" });
    await models.getByLabel("New model").fill("gpt-4o");
    await models.getByRole("button", { name: "Add" }).click();
    await page
      .getByRole("table", { name: "Models" })
      .getByRole("row", { name: /gpt-4o chat local-chat/ })
      .waitFor();
    await call(emulator, "/chat/completions", { model: "gpt-4o", messages: QUESTION });
    await call(emulator, "/images/generations", { model: "local-image", prompt: "a fox" }, "sk-emulator");
    await goTo("Ledger");
    const { units, amount } = emulator.ledger.total();
    await page.getByText(amount.toFixed(4), { exact: true }).first().waitFor();
    for (const [table, count] of [
      ["By model", 2],
      ["By key", 2],
    ] as const) {
      const cells = page.getByRole("table", { name: table }).locator("tbody td:nth-child(2)");
      const listed = async () => (await cells.allTextContents()).map(Number);
      await expect.poll(async () => (await listed()).length).toBe(count);
      expect((await listed()).reduce((sum, each) => sum + each)).toBe(units);
    }
    await page
      .getByRole("table", { name: "Charges and refunds" })
      .getByRole("link", { name: "/chat/completions" })
      .click();
    await page.getByRole("region", { name: "Call", exact: true }).getByText("gpt-4o").first().waitFor();
    expect(complaints.filter((text) => text.includes("400 (Bad Request)"))).toHaveLength(1);
  });

  it("moves the clock: by a time, and to what happens next", async () => {
    await call(emulator, "/videos", VIDEO);
    await goTo("Clock");
    const before = emulator.clock.now();
    await page.getByLabel("Seconds").fill("90");
    await button("Advance").click();
    await expect.poll(() => emulator.clock.now() - before).toBeGreaterThanOrEqual(90_000);
    await button("To what happens next").click();
    await expect.poll(() => emulator.videos.list()[0]).toMatchObject({ status: "running" });
    await button("+ 1 day").click();
    await expect.poll(() => emulator.videos.list()[0]).toMatchObject({ status: "succeeded" });
    const shown = page.getByRole("status", { name: "Now" });
    await expect
      .poll(() => shown.textContent())
      .toContain(new Date(emulator.clock.now()).toISOString().slice(0, 10));
  });

  it("puts states aside, has them back, and hands the whole of one out and in", async () => {
    const { page } = await open(browser, emulator);
    await page.getByRole("link", { name: "State" }).click();
    await page.getByLabel("Name").fill("Before");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").filter({ hasText: "lower-case letters" }).waitFor();
    await page.getByLabel("Name").fill("before");
    await page.getByRole("button", { name: "Save" }).click();
    const row = page.getByRole("row", { name: /^before / });
    await row.waitFor();
    emulator.keys.add({ key: "sk-late" });
    expect(await call(emulator, "/embeddings", { model: "local-embedding", input: "one" })).toBe(200);
    const count = page.getByRole("status");
    await count.filter({ hasText: /^1 calls$/ }).waitFor();
    await row.getByRole("button", { name: "Restore" }).click();
    await count.filter({ hasText: /^0 calls$/ }).waitFor();
    expect(emulator.keys.list().map(({ key }) => key)).toEqual(["sk-emulator", KEY]);

    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe("state.json");
    const file = join(folder, "state.json");
    await download.saveAs(file);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual(emulator.state.export());
    emulator.keys.remove(KEY);
    await page.getByLabel("Import").setInputFiles(file);
    await page.getByLabel("Done").filter({ hasText: "Imported." }).waitFor();
    expect(emulator.keys.list()).toHaveLength(2);
    const broken = { name: "x.json", mimeType: "application/json", buffer: Buffer.from('{"format":1}') };
    await page.getByLabel("Import").setInputFiles(broken);
    await page.getByRole("alert").filter({ hasText: "nothing was changed: format must be" }).waitFor();
    emulator.keys.remove(KEY);
    await page.getByRole("button", { name: "Reset" }).click();
    await page.getByLabel("Done").filter({ hasText: "Reset." }).waitFor();
    expect(emulator.keys.list()).toHaveLength(2);
    await row.getByRole("button", { name: "Remove" }).click();
    await page.getByText("No state was put aside.").waitFor();
    expect(emulator.snapshots.list()).toEqual([]);
  });

  it("puts faults in force and lifts them, and writes answers down", async () => {
    await goTo("Faults");
    const form = page.getByRole("form", { name: "New fault" });
    await form.getByLabel("Status").fill("502");
    await form.getByLabel("Path").fill("/embeddings");
    await form.getByLabel("Times").fill("2");
    await form.getByRole("button", { name: "Add" }).click();
    const row = page.getByRole("row", { name: /fault-\d+ status 502/ });
    await row.waitFor();
    expect(await call(emulator, "/embeddings", { model: "local-embedding", input: "a" })).toBe(502);
    await row.getByRole("button", { name: "Lift" }).click();
    await page.getByText("No fault is in force.").waitFor();
    expect(await call(emulator, "/embeddings", { model: "local-embedding", input: "a" })).toBe(200);
    await goTo("Script");
    const rule = { when: { text: "refund" }, error: { status: 418 } };
    await page.getByRole("textbox", { name: "Rule, as JSON" }).fill(JSON.stringify(rule));
    await button("Add").click();
    await page.getByText("given 0 times").waitFor();
    const asked = { model: "local-chat", messages: [{ role: "user", content: "My refund?" }] };
    expect(await call(emulator, "/chat/completions", asked)).toBe(418);
    await page.getByText("given 1 times").waitFor();
    await button("Remove").click();
    await page.getByText("None: every call").waitFor();
  });

  it("shows callbacks with their attempts, and posts them again", async () => {
    const received: string[] = [];
    const receiver = createServer((request, response) => {
      request.resume().on("end", () => {
        received.push(request.url ?? "");
        response.writeHead(received.length === 1 ? 500 : 204).end();
      });
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => receiver.once("listening", resolve));
    onTestFinished(() => {
      receiver.close();
    });
    const { port } = receiver.address() as AddressInfo;
    await call(emulator, "/videos", { ...VIDEO, callback_url: `http://127.0.0.1:${port}/hook` });
    await emulator.videos.fail(emulator.videos.list()[0]?.id ?? "");
    await goTo("Callbacks");
    const card = page
      .getByRole("list", { name: /^Callbacks/ })
      .getByRole("listitem")
      .first();
    await card.getByText("500").waitFor();
    await card.getByRole("button", { name: "Send again" }).click();
    await card.getByText("delivered").waitFor();
    expect(received.length).toBeGreaterThanOrEqual(2);
  });

  it("has a playground: chat that streams, images, voices that play, videos", async () => {
    await goTo("Playground");
    await button("Ask").click();
    const conversation = page.getByRole("list", { name: "Conversation" }).getByRole("listitem");
    await conversation.nth(1).getByText("Orders ship within two days.").waitFor();
    const [asked] = emulator.journal.list({ path: "/chat/completions" });
    expect(asked?.body).toMatchObject({ stream: true });
    await page.getByLabel("Message").fill("[[500]]");
    await button("Ask").click();
    await page
      .getByRole("alert")
      .getByText(/answer 500/)
      .waitFor();
    await page.getByRole("tab", { name: "Image" }).click();
    await button("Make it").click();
    const picture = page.getByRole("img", { name: "Made by this call" });
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1_024);
    await page.getByRole("tab", { name: "Speech" }).click();
    await button("Speak").click();
    await plays(page.locator("audio"));
    await page.getByRole("tab", { name: "Video" }).click();
    await button("Make it").click();
    await page.getByRole("link", { name: "look at it" }).click();
    await page.getByRole("heading", { name: "Video tasks" }).waitFor();
    expect(emulator.videos.list()).toHaveLength(1);
    expect(complaints.filter((text) => text.includes("500"))).toHaveLength(1);
  });

  it("runs nothing of what clients send, and shows media of answers", async () => {
    await goTo("Calls");
    const attack = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    await call(emulator, "/chat/completions", {
      ...{ model: attack, messages: [{ role: "user", content: attack }] },
    });
    await page.getByRole("link", { name: /404 POST/ }).click();
    await page
      .getByRole("region", { name: "Call", exact: true })
      .getByText("does not exist")
      .first()
      .waitFor();
    expect(await page.title()).toBe("Model Gateway emulator");
    const speech = { model: "local-speech", voice: "alloy", input: "Hello", response_format: "mp3" };
    await call(emulator, "/audio/speech", speech);
    await page.getByRole("link", { name: /200 POST \/audio\/speech/ }).click();
    await plays(page.locator("audio"));
    await call(emulator, "/images/generations", { model: "local-image-b64", prompt: "a fox" });
    await page.getByRole("link", { name: /POST \/images\/generations/ }).click();
    const picture = page.getByRole("img", { name: "Made by this call" });
    await expect
      .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(0);
    emulator.faults.add({ kind: "html", times: 1 });
    await call(emulator, "/embeddings", {});
    await page.getByRole("link", { name: /200 POST \/embeddings/ }).click();
    await page.getByText("<h1>Welcome to the proxy</h1>").waitFor();
  });

  it("says when the emulator is gone, and asked nobody else", async () => {
    expect([...hosts]).toEqual([new URL(emulator.url).host]);
    expect(complaints).toEqual([]);
    await emulator.close();
    await page.getByText("not connected").waitFor();
  });
});

describe("the console also", () => {
  it("reads streams with the habits of other routes", async () => {
    const emulator = await startEmulator({ profile: "newapi" });
    const browser = await launchBrowser();
    onTestFinished(async () => {
      await browser.close();
      await emulator.close();
    });
    const { page, complaints } = await open(browser, emulator);
    await page.getByRole("link", { name: "Playground" }).click();
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    const conversation = page.getByRole("list", { name: "Conversation" }).getByRole("listitem");
    await conversation.nth(1).getByText("Orders ship within two days.").waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows a call that is made while it reads the list", async () => {
    const emulator = await startEmulator();
    const browser = await launchBrowser();
    onTestFinished(async () => {
      await browser.close();
      await emulator.close();
    });
    const page = await browser.newPage();
    await call(emulator, "/embeddings", { model: "local-embedding", input: "before" });
    await page.route("**/_emulator/api/journal", async (route) => {
      const response = await route.fetch();
      await call(emulator, "/embeddings", { model: "local-embedding", input: "meanwhile" });
      // Until the page has drawn it.
      await page.getByText("1 calls").waitFor();
      await route.fulfill({ response });
    });
    await page.goto(new URL("/_emulator", emulator.url).href);
    await page.getByText("2 calls").waitFor();
  });
});

describe("the console fits", () => {
  it.each([
    [1_440, true],
    [800, false],
    [390, true],
    [390, false],
  ])("a screen of %i pixels, dark: %s", async (width, dark) => {
    const emulator = await startEmulator();
    const browser = await launchBrowser();
    onTestFinished(async () => {
      await browser.close();
      await emulator.close();
    });
    await call(emulator, "/chat/completions", { model: "local-chat", messages: QUESTION });
    await call(emulator, "/videos", {
      ...VIDEO,
      callback_url: "http://127.0.0.1:9/a-long-path-that-must-break",
    });
    emulator.faults.add({ kind: "status", path: "/images/*", times: 3 });
    emulator.replies.add({ when: { text: "refund" }, reply: "x".repeat(300) });
    const { page, complaints } = await open(browser, emulator, { width, height: 900 }, dark);
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    await page.getByRole("list", { name: /^Calls/ }).waitFor();
    for (const [name, heading] of Object.entries(PAGES)) {
      await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
      await page.getByRole("heading", { name: heading, exact: true }).waitFor();
      await page.waitForLoadState("networkidle");
      expect(await overflow(), name).toBeLessThanOrEqual(0);
    }
    await page.getByRole("navigation").getByRole("link", { name: "Calls", exact: true }).click();
    await page.getByRole("link", { name: /POST \/chat\/completions/ }).click();
    await page.getByRole("heading", { name: "Response" }).waitFor();
    expect(await overflow()).toBeLessThanOrEqual(0);
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(ground).toBe(dark ? "rgb(22, 24, 27)" : "rgb(251, 251, 250)");
    await page.getByRole("button", { name: /^Theme/ }).click();
    await page.getByRole("button", { name: "Theme: light" }).waitFor();
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
      "rgb(251, 251, 250)",
    );
    expect(complaints).toEqual([]);
  });

  it("in 60 kB, as it travels", async () => {
    const files = await Promise.all(
      ["console.js", "console.css"].map((name) => readFile(join(folder, name))),
    );
    expect(gzipSync(Buffer.concat(files)).length).toBeLessThan(60_000);
  });

  it("a policy under which nothing else loads", async () => {
    const emulator = await startEmulator();
    onTestFinished(() => emulator.close());
    const response = await fetch(new URL("/_emulator/", emulator.url));
    expect(response.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'self';/,
    );
    expect((await fetch(new URL("/_emulator/package.json", emulator.url))).status).toBe(404);
    const unbuilt = createEmulator({}, { consoleFolder: join(folder, "none") });
    const file = await unbuilt.fetch(new URL("/_emulator/console.js", unbuilt.url));
    expect([file.status, await file.text()]).toEqual([
      404,
      expect.stringContaining("The console is built with"),
    ]);
  });
});

/** Waits until a film or a voice has been heard for a moment. */
async function plays(media: ReturnType<Page["locator"]>): Promise<void> {
  await media.waitFor();
  await media.evaluate((element: HTMLMediaElement) => {
    element.muted = true;
    return element.play();
  });
  await expect
    .poll(() => media.evaluate((element: HTMLMediaElement) => element.currentTime))
    .toBeGreaterThan(0);
}
