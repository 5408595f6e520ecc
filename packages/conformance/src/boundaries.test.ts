import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSource, type SourceFile, sourcesOf } from "./source-files.js";
import { ROOT } from "./wire-ledger.js";

const OURS = /^@model-gateway\//;
const ADAPTERS = ["langchain", "ai-sdk-provider", "nestjs"];

/** What belongs to the transport and never to an adapter. */
const TRANSPORT_CALLS = new Set([
  "fetch",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "delay",
  "timer",
  "interval",
]);
const HEADER_NAMES =
  /^(authorization|content-type|content-length|accept|user-agent|retry-after|retry-after-ms|idempotency-key|x-request-id|location)$/i;
const STATUS_WORDS =
  /^(queued|submitted|pending|not_start|running|processing|in_progress|success|succeed|succeeded|completed|fail|failed|failure|canceled|cancelled|expired)$/i;
/** Words of the SDK for the state of a video operation, of core for outcomes and events of image streams, of BullMQ for jobs. */
const FRAMEWORK_WORDS: Record<string, readonly string[]> = {
  langchain: ["success"],
  "ai-sdk-provider": ["pending", "completed", "failed", "success", "failure"],
  nestjs: ["pending", "success", "failure", "completed"],
};

/** A turn of the event loop is no timer: the shutdown of an application waits for some. */
const FRAMEWORK_CALLS: Record<string, readonly string[]> = { nestjs: ["setImmediate"] };

/** Time that has nothing to do with the gateway: signs of life of a lock, and what is forgotten in time. */
const HOUSEKEEPING = ["packages/nestjs/src/streams/pause.ts"];

/** What speaks HTTP with another server than the gateway, with headers and statuses of its own. */
const OTHER_SERVERS = ["packages/nestjs/src/s3/"];

/** Headers of the application's own answers, which are the framework's business and not the gateway's. */
const FRAMEWORK_HEADERS: Record<string, readonly string[]> = { nestjs: ["Retry-After"] };

/** Rooms of core that import modules of others: their entry, and those modules. */
const FOREIGN_ROOMS: ReadonlyArray<[room: string, entry: string, modules: readonly string[]]> = [
  ["disk", "node", ["node:fs", "node:fs/promises", "node:path"]],
  ["telemetry", "opentelemetry", ["@opentelemetry/api"]],
  ["redis", "redis", ["ioredis", "node:crypto"]],
  ["testing", "testing", ["node:assert/strict"]],
  ["records", "node", ["node:fs/promises", "node:path", "node:zlib"]],
];
const CLIENTLESS_ENTRIES = ["redis", "resumable", "testing"];
/** What a client may be given, and does not hold by itself. */
const GIVEN_ENTRIES = ["budget", ...CLIENTLESS_ENTRIES];

function roomOf(room: string): string {
  return `packages/core/src/${room}/`;
}

/** Sources of core that an entry leads to, itself included. */
function filesReachedFrom(entry: string): string[] {
  const files = new Map(sourcesOf("core").map((file) => [file.path, file.imports]));
  const reached = new Set([entry]);
  for (const path of reached)
    for (const name of files.get(path) ?? [])
      if (name.startsWith(".")) reached.add(join(dirname(path), name).replace(/\.js$/, ".ts"));
  return [...reached];
}

function manifestOf(folder: string): Record<string, Record<string, string> | undefined> {
  return JSON.parse(readFileSync(join(ROOT, "packages", folder, "package.json"), "utf8"));
}

/** Violations as `path: what`, so that a failure names its place. */
function violations(files: readonly SourceFile[], find: (file: SourceFile) => readonly unknown[]): string[] {
  return files.flatMap((file) => find(file).map((found) => `${file.path}: ${String(found)}`));
}

function importsOfOurs(folder: string, allowed: readonly string[]): string[] {
  return violations(sourcesOf(folder), ({ imports }) =>
    imports.filter((name) => OURS.test(name) && !allowed.includes(name)),
  );
}

describe("dependencies point one way", () => {
  it("core depends on nothing at run time and imports no Node module", () => {
    expect(manifestOf("core")["dependencies"] ?? {}).toEqual({});
    const files = sourcesOf("core");
    // Beside the rooms that may, one file of the entry `./node`, and nothing else leads there.
    const nodeOnly = "packages/core/src/download/save-download.ts";
    const portable = files.filter(
      ({ path }) => path !== nodeOnly && !FOREIGN_ROOMS.some(([room]) => path.startsWith(roomOf(room))),
    );
    // What the manifest chooses by the runtime is the package's own, too.
    const chosen = Object.values(manifestOf("core")["imports"] ?? {}).flatMap((files) =>
      Object.values(files),
    );
    expect(chosen.every((file) => /^\.\/src\/transport\/[\w-]+\.ts$/.test(file))).toBe(true);
    const foreign = violations(portable, ({ imports }) => imports.filter((name) => !/^[.#]/.test(name)));
    expect(foreign).toEqual([]);
    const leading = files.filter(({ imports }) => imports.some((name) => name.endsWith("/save-download.js")));
    expect(leading.map(({ path }) => path)).toEqual(["packages/core/src/node.ts"]);
  });

  it.each(FOREIGN_ROOMS)(
    "core's %s is an entry of its own that nothing else leads to, and alone needs what it imports",
    (room, entry, modules) => {
      const files = sourcesOf("core");
      const inside = files.filter(({ path }) => path.startsWith(roomOf(room)));
      const foreign = inside.flatMap(({ imports }) => imports.filter((name) => !name.startsWith(".")));
      expect([...new Set(foreign)].sort()).toEqual(modules);
      const leading = files.filter(
        ({ path, imports }) =>
          !path.startsWith(roomOf(room)) && imports.some((name) => name.includes(`/${room}/`)),
      );
      expect(leading.map(({ path }) => path)).toEqual([`packages/core/src/${entry}.ts`]);
    },
  );

  it("core's peers are those of its rooms, and optional", () => {
    const manifest = manifestOf("core");
    const peers = FOREIGN_ROOMS.flatMap(([, , modules]) =>
      modules.filter((name) => !name.startsWith("node:")),
    );
    expect(Object.keys(manifest["peerDependencies"] ?? {})).toEqual(peers);
    expect(manifest["peerDependenciesMeta"]).toEqual(
      Object.fromEntries(peers.map((peer) => [peer, { optional: true }])),
    );
  });

  it("core's streams with a key and budgets hold nothing of the client, nor the client of them", () => {
    const client = ["packages/core/src/gateway.ts", "packages/core/src/call/retry-loop.ts"];
    const reached = (entry: string) => filesReachedFrom(`packages/core/src/${entry}.ts`);
    expect(reached("index")).toEqual(expect.arrayContaining(client));
    const given = /\/core\/src\/(resumable|web|redis|budget|disk)\//;
    expect(reached("index").filter((path) => given.test(path))).toEqual([]);
    for (const entry of GIVEN_ENTRIES)
      expect(reached(entry).filter((path) => client.includes(path))).toEqual([]);
    for (const entry of CLIENTLESS_ENTRIES)
      expect(reached(entry)).toContain("packages/core/src/resumable/stream-store.ts");
    expect(reached("budget")).toContain("packages/core/src/budget/budget-keeper.ts");
  });

  it("core's ingest is no part of the client, nor of its embeddings", () => {
    const reached = (entry: string) => filesReachedFrom(`packages/core/src/${entry}.ts`);
    expect(reached("ingest")).toContain("packages/core/src/ingest/ingest.ts");
    for (const entry of ["embeddings", "index"])
      expect(reached(entry).filter((path) => path.includes("/ingest/"))).toEqual([]);
  });

  it.each(ADAPTERS)("%s enters core by its public entries and knows no other package of ours", (adapter) => {
    // In CommonJS entries do not share their code: an adapter that ships it would load a client per entry that holds one.
    const { exports: entries, main } = manifestOf(adapter);
    const parts = Object.keys(manifestOf("core")["exports"] ?? {}).filter(
      (entry) => entry !== "./package.json",
    );
    const allowed = main === undefined ? parts : [".", ...CLIENTLESS_ENTRIES.map((entry) => `./${entry}`)];
    expect(entries).toBeDefined();
    expect(
      importsOfOurs(
        adapter,
        allowed.map((entry) => `@model-gateway/core${entry.slice(1)}`),
      ),
    ).toEqual([]);
    const { dependencies = {}, peerDependencies = {} } = manifestOf(adapter);
    const ours = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => OURS.test(name));
    expect(ours).toEqual(["@model-gateway/core"]);
  });

  it("the emulator imports nothing of ours, but for its optional media", () => {
    expect(importsOfOurs("emulator", ["@model-gateway/emulator-media"])).toEqual([]);
    expect(importsOfOurs("emulator-media", [])).toEqual([]);
    const { dependencies = {} } = manifestOf("emulator");
    expect(Object.keys(dependencies).filter((name) => OURS.test(name))).toEqual([]);
  });

  it("the server of hostile streams imports nothing of ours, so that every test may use it", () => {
    expect(importsOfOurs("scenario-server", [])).toEqual([]);
    expect(manifestOf("scenario-server")["dependencies"] ?? {}).toEqual({});
  });

  it("sources never import the wire ledger, tests of others, or a build", () => {
    for (const folder of readdirSync(join(ROOT, "packages"))) {
      if (folder === "conformance" || !existsSync(join(ROOT, "packages", folder, "src"))) continue;
      const foreign = violations(sourcesOf(folder), ({ imports }) =>
        imports.filter((name) => /\/(wire|dist|test)\//.test(name) || name.startsWith("../../..")),
      );
      expect(foreign).toEqual([]);
    }
  });
});

describe.each(ADAPTERS)("%s leaves the transport to core", (adapter) => {
  // What a package ships for the tests of its users plays the gateway's part too.
  const files = sourcesOf(adapter).filter(({ path }) => !path.includes("/src/testing/"));

  it("has sources to look at", () => {
    expect(files.length).toBeGreaterThan(3);
  });

  const ours = files.filter(({ path }) => !OTHER_SERVERS.some((folder) => path.startsWith(folder)));

  it("calls neither fetch nor a timer", () => {
    const allowed = FRAMEWORK_CALLS[adapter] ?? [];
    const forbidden = (name: string) => TRANSPORT_CALLS.has(name) && !allowed.includes(name);
    const isKept = (violation: string) => !HOUSEKEEPING.some((file) => violation.startsWith(`${file}:`));
    expect(violations(files, ({ calls }) => calls.filter(forbidden)).filter(isKept)).toEqual([]);
    expect(
      violations(ours, ({ imports }) =>
        imports.filter((name) => /^(node:)?(timers|http|https|net)\b/.test(name)),
      ).filter(isKept),
    ).toEqual([]);
  });

  it("spells no URL, header name or HTTP status", () => {
    expect(violations(files, ({ strings }) => strings.filter((text) => /^https?:\/\/\w/.test(text)))).toEqual(
      [],
    );
    const own = FRAMEWORK_HEADERS[adapter] ?? [];
    expect(
      violations(ours, ({ strings }) =>
        strings.filter((text) => HEADER_NAMES.test(text) && !own.includes(text)),
      ),
    ).toEqual([]);
    expect(
      violations(ours, ({ numbers }) => numbers.filter((number) => number >= 400 && number < 600)),
    ).toEqual([]);
  });

  it("spells no status word of a video task", () => {
    const words = FRAMEWORK_WORDS[adapter] ?? [];
    const spelled = violations(files, ({ strings }) =>
      strings.filter((text) => STATUS_WORDS.test(text) && !words.includes(text)),
    );
    expect(spelled).toEqual([]);
  });
});

describe("core", () => {
  it("spells the status words of servers in one file", () => {
    const own = [
      "queued",
      "running",
      "succeeded",
      "failed",
      "cancelled",
      "expired",
      "pending",
      "success",
      "failure",
    ];
    // Events of image streams are named with some of the same words.
    const files = sourcesOf("core").filter(({ path }) => !path.includes("/images/"));
    const foreign = violations(files, ({ strings }) =>
      strings.filter((text) => STATUS_WORDS.test(text) && !own.includes(text)),
    );
    expect(
      foreign.every((violation) => violation.startsWith("packages/core/src/videos/video-status.ts")),
    ).toBe(true);
    expect(foreign.length).toBeGreaterThan(5);
  });
});

describe("the search itself", () => {
  it("finds what it looks for, and not in comments", () => {
    const file = readSource(
      "x.ts",
      `// fetch("https://a") setTimeout
      import a from "node:http"; export * from "./b.js"; const c = await import("d");
      fetch(\`https://\${x}\`); globalThis.setTimeout(f, 500); model.fetch(); const h = { "Retry-After": 'succeed' };`,
    );
    expect(file.imports).toEqual(["node:http", "./b.js", "d"]);
    expect(file.calls).toEqual(["fetch", "setTimeout"]);
    expect(file.strings).toEqual(expect.arrayContaining(["https://", "Retry-After", "succeed"]));
    expect(file.numbers).toEqual([500]);
  });
});
