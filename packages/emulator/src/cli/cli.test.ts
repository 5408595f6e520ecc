import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator } from "../index.js";
import { temporaryFolder } from "../testing/temporary-folder.js";
import { parseCommand } from "./parse-command.js";

const CLI = fileURLToPath(new URL("../cli.ts", import.meta.url));

/** The command line itself, run from source. */
function cli(...args: string[]) {
  const child = spawn(process.execPath, ["--import", "tsx", CLI, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const result = Promise.all([text(child.stdout), text(child.stderr), ended]).then(
    ([stdout, stderr, code]) => ({
      stdout,
      stderr,
      code,
    }),
  );
  return { child, result };
}

function firstOutput(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => child.stdout?.once("data", (data: Buffer) => resolve(data.toString())));
}

const script = (code: string) => ["--", process.execPath, "-e", code];

describe("model-gateway-emulator start", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "shows how to reach it, serves, and stops cleanly on %s",
    async (signal) => {
      const { child, result } = cli("start", "--port", "0", "--seed", "3", "--model", "gpt-4o=local-chat");
      const screen = await firstOutput(child);
      const url = /MODEL_GATEWAY_BASE_URL=(\S+)/.exec(screen)?.[1] ?? "";
      expect(screen).toContain("sk-emulator");
      expect(screen).toContain("gpt-4o (like local-chat)");
      expect(screen).toContain("films from @model-gateway/emulator-media");
      const response = await fetch(`${url}/models`, { headers: { authorization: "Bearer sk-emulator" } });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
      child.kill(signal);
      expect((await result).code).toBe(0);
    },
  );

  it("says that a port is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    onTestFinished(() => {
      other.close();
    });
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await cli("start", "--port", String(port)).result;
    expect(code).toBe(1);
    expect(stderr).toContain(`Port ${port} is in use`);
  });
});

describe("the state of the command line", () => {
  const call = async (screen: string, path: string, init?: RequestInit) => {
    const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(screen)?.[0] ?? "";
    const response = await fetch(`${origin}/_emulator/api${path}`, init);
    return response.status === 200 ? ((await response.json()) as Record<string, unknown>) : response.status;
  };
  const keysIn = (state: unknown) => (state as { keys: { key: string }[] }).keys.map(({ key }) => key);
  const addKey = (screen: string, key: string) =>
    call(screen, "/keys", { method: "POST", body: JSON.stringify({ key }) });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "is written at the end by %s, and goes on from there",
    async (signal) => {
      const folder = temporaryFolder();
      const file = join(folder, "state.json");
      const first = cli("start", "--port", "0", "--export-on-exit", file);
      expect(await addKey(await firstOutput(first.child), "sk-kept")).toBe(201);
      first.child.kill(signal);
      expect((await first.result).code).toBe(0);
      expect(readdirSync(folder)).toEqual(["state.json"]);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(keysIn(JSON.parse(readFileSync(file, "utf8")))).toEqual(["sk-emulator", "sk-kept"]);

      const second = cli("start", "--port", "0", "--import", file);
      const screen = await firstOutput(second.child);
      await call(screen, "/keys/sk-kept", { method: "DELETE" });
      await call(screen, "/reset", { method: "POST" });
      expect(keysIn(await call(screen, "/state"))).toEqual(["sk-emulator", "sk-kept"]);
    },
  );

  it("stays in its folder, which an import fills while it is new", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "state.json");
    const data = join(folder, "data");
    const key = { key: "sk-seed", group: "default" };
    await writeFile(
      file,
      JSON.stringify({ format: "model-gateway-emulator-state", version: 1, keys: [key] }),
    );
    const first = cli("start", "--port", "0", "--import", file, "--data-dir", data);
    expect(await addKey(await firstOutput(first.child), "sk-kept")).toBe(201);
    // Nobody is asked, and nothing tidied up.
    first.child.kill("SIGKILL");
    await first.result;
    const second = cli("start", "--port", "0", "--import", file, "--data-dir", data);
    const screen = await firstOutput(second.child);
    expect(keysIn(await call(screen, "/state"))).toEqual(["sk-seed", "sk-kept"]);
    const third = await cli("start", "--port", "0", "--data-dir", data).result;
    expect([third.code, third.stderr]).toEqual([
      1,
      expect.stringContaining(`in use by the process ${second.child.pid}`),
    ]);
    second.child.kill("SIGTERM");
    const { code, stderr } = await second.result;
    expect([code, stderr]).toEqual([
      0,
      `${data} goes on with the state that it holds; ${file} is not imported.\n`,
    ]);
  });

  it("of exec is written when the command has ended, whatever became of it", async () => {
    const file = join(temporaryFolder(), "state.json");
    const ask = `
      const headers = { authorization: "Bearer " + process.env.MODEL_GATEWAY_API_KEY };
      const body = JSON.stringify({ model: "local-embedding", input: "one" });
      fetch(process.env.MODEL_GATEWAY_BASE_URL + "/embeddings", { method: "POST", headers, body })
        .then(() => process.exit(3));
    `;
    expect((await cli("exec", "--export-on-exit", file, ...script(ask)).result).code).toBe(3);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ ledger: [{ endpoint: "/embeddings" }] });
  });

  it.each<[why: string, args: (folder: string) => string[], message: string]>([
    [
      "there is no file",
      (folder) => ["--import", join(folder, "none.json")],
      "none.json cannot be imported: ENOENT",
    ],
    [
      "it is no JSON",
      (folder) => ["--import", join(folder, "broken.json")],
      "broken.json cannot be imported: ",
    ],
    [
      "it is no state",
      (folder) => ["--import", join(folder, "other.json")],
      "The state makes no sense: format is required",
    ],
    [
      "it could not be written",
      (folder) => ["--export-on-exit", join(folder, "no", "x.json")],
      "--export-on-exit cannot write",
    ],
    [
      "the folder is a file",
      (folder) => ["--data-dir", join(folder, "other.json")],
      "other.json cannot be used",
    ],
  ])("is refused before it serves when %s", async (_, args, message) => {
    const folder = temporaryFolder();
    await writeFile(join(folder, "broken.json"), "{");
    await writeFile(join(folder, "other.json"), "{}");
    const { code, stderr, stdout } = await cli("start", "--port", "0", ...args(folder)).result;
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(message);
  });
});

describe("model-gateway-emulator exec", () => {
  it("runs a command that finds the gateway by its environment", async () => {
    const { code, stdout } = await cli(
      "exec",
      ...script(`
        const headers = { authorization: "Bearer " + process.env.MODEL_GATEWAY_API_KEY };
        const names = ["BASE_URL", "CDN_BASE_URL", "SPECIALIZED_BASE_URL", "SPECIALIZED_CDN_BASE_URL"];
        Promise.all(names.map((name) => fetch(process.env["MODEL_GATEWAY_" + name] + "/models", { headers })))
          .then((responses) => console.log(responses.map(({ status }) => status).join()));
      `),
    ).result;
    expect(stdout.trim()).toBe("200,200,200,200");
    expect(code).toBe(0);
  });

  it("sets the variables of the openai SDK when asked, and serves it models under names of one's own", async () => {
    const asked = script(`
      import(${JSON.stringify(pathToFileURL(createRequire(import.meta.url).resolve("openai")))}).then(async ({ default: OpenAI }) => {
        const messages = [{ role: "user", content: "What is 6 times 7?" }];
        const { choices } = await new OpenAI().chat.completions.create({ model: "gpt-4o", messages });
        console.log(choices[0].message.content);
      }, (error) => console.log(String(error)));
    `);
    const env = script("console.log(process.env.OPENAI_BASE_URL ?? 'none')");
    const [answered, without] = await Promise.all([
      cli("exec", "--openai-env", "--any-key", "--model", "gpt-4o=local-chat", ...asked).result,
      cli("exec", ...env).result,
    ]);
    expect(answered).toMatchObject({ stdout: "6 * 7 = 42\n", code: 0 });
    expect(without.stdout).toBe(`${process.env["OPENAI_BASE_URL"] ?? "none"}\n`);
  });

  it("says what stands in a file, and what is wrong with one", async () => {
    const folder = await mkdtemp(join(tmpdir(), "replies-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [good, bad] = [join(folder, "good.yaml"), join(folder, "bad.yaml")];
    await writeFile(good, "replies:\n  - when: { text: refund }\n    reply: Five days.\n");
    await writeFile(bad, "replies:\n  - anser: Five days.\n");
    const ask = script(`
      const { MODEL_GATEWAY_BASE_URL: url, MODEL_GATEWAY_API_KEY: key } = process.env;
      const ask = (content) => fetch(url + "/chat/completions", {
        method: "POST",
        headers: { authorization: "Bearer " + key, "content-type": "application/json" },
        body: JSON.stringify({ model: "local-chat", messages: [{ role: "user", content }] }),
      }).then((response) => response.json());
      Promise.all([ask("refund?"), ask("Hello")]).then(([said, refused]) =>
        console.log(said.choices[0].message.content, refused.error.code));
    `);
    const [scripted, refused] = await Promise.all([
      cli("exec", "--replies", good, "--only-replies", ...ask).result,
      cli("start", "--replies", bad).result,
    ]);
    expect(scripted).toMatchObject({ stdout: "Five days. no_reply\n", code: 0 });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`${bad}:2 replies[0].anser is unknown here`);
  });

  it("records a command and replays it, without the upstream and its key", async () => {
    const folder = await mkdtemp(join(tmpdir(), "recorded-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const key = "sk-of-the-upstream-0123456789";
    const upstream = await createEmulator({ keys: [{ key }] }).listen();
    onTestFinished(() => upstream.close());
    const ask = script(`
      const { MODEL_GATEWAY_BASE_URL: url, MODEL_GATEWAY_API_KEY: key } = process.env;
      fetch(url + "/chat/completions", {
        method: "POST",
        headers: { authorization: "Bearer " + key, "content-type": "application/json" },
        body: JSON.stringify({ model: "local-chat", messages: [{ role: "user", content: "What is 6 times 7?" }] }),
      }).then((response) => response.json()).then(({ choices, id }) => console.log(id, choices[0].message.content));
    `);
    process.env["UPSTREAM_API_KEY"] = key;
    onTestFinished(() => {
      delete process.env["UPSTREAM_API_KEY"];
    });
    const recorded = await cli("exec", "--record", folder, "--upstream", upstream.url, ...ask).result;
    expect(recorded).toMatchObject({ code: 0, stdout: expect.stringContaining("6 * 7 = 42") });
    await upstream.close();
    delete process.env["UPSTREAM_API_KEY"];
    const replayed = await cli("exec", "--replay", folder, "--time-scale", "1", ...ask).result;
    expect(replayed).toEqual({ ...recorded, stderr: "" });
    const unused = await cli("exec", "--replay", folder, ...script("")).result;
    expect(unused).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^1 recordings were not used:\n {2}post-/),
    });
  });

  it("does not end well when what it recorded was lost", async () => {
    const folder = await mkdtemp(join(tmpdir(), "recorded-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const upstream = await createEmulator().listen();
    onTestFinished(() => upstream.close());
    const lose = script(`
      const { MODEL_GATEWAY_BASE_URL: url, MODEL_GATEWAY_API_KEY: key } = process.env;
      const fs = require("node:fs");
      fs.rmSync(${JSON.stringify(folder)}, { recursive: true });
      fs.writeFileSync(${JSON.stringify(folder)}, "");
      fetch(url + "/models", { headers: { authorization: "Bearer " + key } })
        .then((response) => response.text()).then((text) => console.log(text.length > 0));
    `);
    const { code, stdout, stderr } = await cli(
      "exec",
      "--record",
      folder,
      "--upstream",
      upstream.url,
      ...lose,
    ).result;
    expect([code, stdout]).toEqual([1, "true\n"]);
    expect(stderr).toContain("1 recordings could not be written to");
  });

  it("passes the exit code on", async () => {
    expect((await cli("exec", ...script("process.exit(7)")).result).code).toBe(7);
  });

  it("passes signals on, and lets the command decide", async () => {
    const { child, result } = cli(
      "exec",
      ...script(`
        process.on("SIGTERM", () => process.exit(9));
        setInterval(() => {}, 1000);
        console.log("ready");
      `),
    );
    await firstOutput(child);
    child.kill("SIGTERM");
    expect((await result).code).toBe(9);
  });

  it("reports a command that does not exist", async () => {
    const { code, stderr } = await cli("exec", "--", "no-such-command-anywhere").result;
    expect(code).toBe(127);
    expect(stderr).toContain("Could not run no-such-command-anywhere");
  });
});

describe("the command line", () => {
  it.each([
    [["launch"], 'There is no command "launch"'],
    [["start", "--prot", "1"], "--prot"],
    [["start", "--port", "http"], '--port takes an integer from 0 to 65535 (got "http")'],
    [["start", "--latency", "-1"], "--latency"],
    [["start", "--pace", "slow"], '--pace takes one of events, whole, bytes, cuts (got "slow")'],
    [["start", "now"], 'Unexpected argument "now"'],
    [["exec"], "exec needs a command"],
    [["exec", "--port", "1", "--", "ls"], "--port goes with start"],
    [["exec", "--host", "0.0.0.0", "--", "ls"], "--host goes with start"],
    [["exec", "--advertise", "http://a.test", "--", "ls"], "--advertise goes with start"],
    [
      ["start", "--profile", "lax"],
      '--profile takes one of spec, tolerant, ark, kling, bailian, newapi (got "lax")',
    ],
    [["start", "--openai-env"], "--openai-env goes with exec"],
    [["start", "--record", "a"], "--record goes with --upstream"],
    [["start", "--replay", "a", "--upstream", "http://a.test/v1"], "--replay asks nobody"],
    [["start", "--replay", "a", "--record", "b"], "--record goes with --upstream"],
    [["start", "--time-scale", "1"], "--time-scale goes with --replay"],
    [
      ["start", "--replay", "a", "--time-scale", "fast"],
      '--time-scale takes a number of at least 0 (got "fast")',
    ],
    [
      ["start", "--model", "gpt-4o"],
      '--model takes an id and the model it is like, gpt-4o=local-chat (got "gpt-4o")',
    ],
    [[], "Say what to do"],
  ])("refuses %j", (args, message) => {
    expect(() => parseCommand(args)).toThrow(message);
  });

  it("answers a mistake with help and exit code 2", async () => {
    const { code, stderr } = await cli("launch").result;
    expect(code).toBe(2);
    expect(stderr).toContain("Usage: model-gateway-emulator");
  });

  it("reads every setting", () => {
    const settings = ["--seed", "5", "--latency", "2", "--pace", "cuts", "--data-dir", "media"];
    const models = ["--model", "gpt-4o=local-chat", "--model", "tts-1=local-speech", "--any-key"];
    const origins = ["--cors", "http://a.test", "--cors", "http://b.test"];
    const states = ["--import", "in.json", "--export-on-exit", "out.json"];
    const address = ["--port", "1", "--host", "0.0.0.0", "--advertise", "http://c.test"];
    const scripts = ["--replies", "a.yaml", "--replies", "b.json", "--only-replies", "--profile", "tolerant"];
    const all = [...settings, ...models, ...origins, ...scripts, ...states, ...address];
    expect(parseCommand(["start", ...all])).toEqual({
      name: "start",
      address: { port: 1, host: "0.0.0.0", advertise: "http://c.test" },
      settings: {
        ...{ seed: 5, latency: 2, pace: "cuts", dataDir: "media", anyKey: true },
        models: [
          { id: "gpt-4o", like: "local-chat" },
          { id: "tts-1", like: "local-speech" },
        ],
        ...{ cors: ["http://a.test", "http://b.test"], unmatched: "refuse", profile: "tolerant" },
      },
      files: { replies: ["a.yaml", "b.json"], state: "in.json" },
      exportOnExit: "out.json",
    });
  });

  it("reads what to record, and what to replay", () => {
    expect(parseCommand(["start", "--record", "a", "--upstream", "http://b.test/v1"])).toMatchObject({
      settings: { record: { dir: "a" }, upstream: { baseURL: "http://b.test/v1" } },
    });
    expect(parseCommand(["start", "--replay", "a", "--time-scale", "0.5"])).toMatchObject({
      settings: { replay: { dir: "a", timeScale: 0.5 } },
    });
  });

  it("leaves the options of the command alone", () => {
    expect(parseCommand(["exec", "--seed", "5", "--", "vitest", "--port", "1", "--", "x"])).toMatchObject({
      name: "exec",
      command: "vitest",
      commandArguments: ["--port", "1", "--", "x"],
      settings: { seed: 5 },
    });
  });

  it("helps when asked", async () => {
    const { code, stdout } = await cli("--help").result;
    expect(code).toBe(0);
    expect(stdout).toContain("exec -- npm test");
  });
});
