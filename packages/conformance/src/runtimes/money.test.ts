import { fileURLToPath } from "node:url";
import { unusedOrigin } from "@model-gateway/scenario-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CALLS, type MoneyConfig, type MoneyOutcome } from "./money-program.js";
import { BREAK_NAMES, type Break, type MoneyServer, startMoneyServer } from "./money-server.js";
import { RUNTIMES } from "./run-in-runtime.js";

// What a paid call costs when connections break, in every runtime: counted by the server, which sees every POST that
// arrives wholly, and compared with what the client says.

const PROGRAM = fileURLToPath(new URL("./money-program.ts", import.meta.url));
const BROKEN: readonly Break[] = ["rst-after-post", "fin-after-post", "cut-head", "cut-body"];
/** The general address does not exist; the other one does, and is tried where the route is `failover`. */
const UNREACHABLE = ["refused", "unknown-host"];
const FAILOVER = UNREACHABLE.map((way) => `${way}-failover`);
/** A body that can be read once cannot go to a second address. */
const ONCE = "edit-stream-source";
const PAID = Object.keys(CALLS).filter((label) => label !== "chat");

/** Every runtime, and Node's `fetch` beside the dispatcher that the client prefers. */
const ROWS = Object.keys(RUNTIMES).flatMap(
  (runtime): Array<[row: string, runtime: string, overFetch: boolean]> => [
    [runtime, runtime, false],
    ...(runtime.startsWith("Node")
      ? [[`${runtime}, fetch`, runtime, true] as [string, string, boolean]]
      : []),
  ],
);

/** Nothing that this runtime's `fetch` rejects with tells a request that was never sent from one that was lost. */
const KEEPS_QUIET = new Set(["workerd", "Chromium"]);
/** This runtime's `fetch` sends a POST again by itself when a warm connection breaks, whatever its body is. */
const REPEATS = new Set(["Chromium"]);

interface Row {
  outcomes: MoneyOutcome[];
  servers: Record<string, Record<string, MoneyServer>>;
}

/** Lines of the table, each with the rows that it holds for. */
const table = new Map<string, string[]>();

async function startServers(): Promise<Row["servers"]> {
  const servers: Row["servers"] = {};
  for (const way of [...BREAK_NAMES, ...UNREACHABLE, ...FAILOVER]) {
    const own: Record<string, MoneyServer> = {};
    for (const label of Object.keys(CALLS)) {
      own[label] = await startMoneyServer(
        (BREAK_NAMES as readonly string[]).includes(way) ? (way as Break) : "none",
      );
    }
    servers[way] = own;
  }
  return servers;
}

/** What holds in some runtimes only is said where it holds, and skipped nowhere. */
function itWhen(holds: boolean, sentence: string, check: () => void): void {
  if (holds) it(sentence, check);
}

describe.each(ROWS)("in %s", (row, runtime, overFetch) => {
  let servers: Row["servers"];
  let outcomes: MoneyOutcome[];

  beforeAll(async () => {
    servers = await startServers();
    const urls = Object.entries(servers).map(([way, own]) => [
      way,
      Object.fromEntries(Object.entries(own).map(([label, { url }]) => [label, url])),
    ]);
    const refused = `${await unusedOrigin()}/v1`;
    // The name is reserved: nobody can register it.
    const unknown = "http://gateway.invalid/v1";
    const config: MoneyConfig = {
      servers: Object.fromEntries(urls),
      unreachable: {
        refused,
        "refused-failover": refused,
        "unknown-host": unknown,
        "unknown-host-failover": unknown,
      },
      overFetch,
    };
    const run = RUNTIMES[runtime] as (typeof RUNTIMES)[string];
    outcomes = (await run({
      code: "return core.runMoneyProgram(config);",
      entry: PROGRAM,
      config,
    })) as MoneyOutcome[];
    for (const line of linesOf(outcomes, (outcome) => serverOf(outcome).posts)) {
      table.set(line, [...(table.get(line) ?? []), row]);
    }
  });

  afterAll(() =>
    Promise.all(Object.values(servers).flatMap((own) => Object.values(own).map((server) => server.close()))),
  );

  function serverOf({ way, label }: MoneyOutcome): MoneyServer {
    return servers[way]?.[label] as MoneyServer;
  }

  function of(ways: readonly string[], labels: readonly string[]): MoneyOutcome[] {
    const found = outcomes.filter(({ way, label }) => ways.includes(way) && labels.includes(label));
    expect(found).toHaveLength(ways.length * labels.length);
    return found;
  }

  const say = ({ way, label }: MoneyOutcome) => `${label}, ${way}`;

  it("every call works, with one POST", () => {
    for (const outcome of of(["none"], Object.keys(CALLS))) {
      expect(outcome, say(outcome)).toEqual({ way: "none", label: outcome.label, attempts: 1 });
      expect(serverOf(outcome).posts, say(outcome)).toBe(1);
    }
  });

  it("the connections that break are warm ones", () => {
    for (const outcome of of(BROKEN, Object.keys(CALLS))) {
      expect(serverOf(outcome).warmPosts, say(outcome)).toBeGreaterThan(0);
    }
  });

  itWhen(!REPEATS.has(runtime), "a paid call is sent once, and its loss is told", () => {
    for (const outcome of of(BROKEN, PAID)) {
      expect(serverOf(outcome).posts, say(outcome)).toBe(1);
      expect(outcome, say(outcome)).toMatchObject({ maybeProcessed: true, retryable: false, attempts: 1 });
      expect(["APIConnectionError", "StreamInterruptedError"], say(outcome)).toContain(outcome.error);
    }
  });

  it("a call that may be repeated succeeds", () => {
    // Where half a head reaches the client it is an answer, and none that it can read.
    const ways = BROKEN.filter((way) => way !== "cut-head" || !REPEATS.has(runtime));
    for (const outcome of of(ways, ["chat"])) expect(outcome.error, say(outcome)).toBeUndefined();
  });

  itWhen(!REPEATS.has(runtime), "the client counts every POST of a call that it repeats", () => {
    for (const outcome of of(BROKEN, ["chat"])) {
      expect(outcome.attempts, say(outcome)).toBe(serverOf(outcome).posts);
      expect(outcome.attempts, say(outcome)).toBeGreaterThan(1);
    }
  });

  itWhen(
    REPEATS.has(runtime),
    "a paid call is sent twice at most, by the runtime itself, and its loss is told",
    () => {
      for (const outcome of of(BROKEN, PAID)) {
        expect(serverOf(outcome).posts, say(outcome)).toBeLessThanOrEqual(2);
        if (outcome.error !== undefined)
          expect(outcome, say(outcome)).toMatchObject({ maybeProcessed: true });
      }
    },
  );

  it("a connection that was closed while idle costs nothing", () => {
    for (const outcome of of(["idle-close"], Object.keys(CALLS))) {
      const { posts } = serverOf(outcome);
      expect(posts, say(outcome)).toBeLessThanOrEqual(REPEATS.has(runtime) ? 2 : outcome.attempts);
      if (outcome.error === undefined) expect(posts, say(outcome)).toBeGreaterThan(0);
      else expect(outcome, say(outcome)).toMatchObject({ maybeProcessed: true });
    }
  });

  itWhen(
    !KEEPS_QUIET.has(runtime),
    "what was never sent is known to cost nothing, and goes to the other address",
    () => {
      for (const outcome of of(UNREACHABLE, Object.keys(CALLS))) {
        expect(outcome, say(outcome)).toMatchObject({
          error: "APIConnectionError",
          maybeProcessed: false,
          retryable: true,
        });
        expect(serverOf(outcome).posts, say(outcome)).toBe(0);
      }
      for (const outcome of of(
        FAILOVER,
        Object.keys(CALLS).filter((label) => label !== ONCE),
      )) {
        expect(outcome, say(outcome)).toEqual({ way: outcome.way, label: outcome.label, attempts: 2 });
        expect(serverOf(outcome).posts, say(outcome)).toBe(1);
      }
    },
  );

  itWhen(KEEPS_QUIET.has(runtime), "what may have been sent is not sent to the other address", () => {
    for (const outcome of of([...UNREACHABLE, ...FAILOVER], PAID)) {
      expect(outcome, say(outcome)).toMatchObject({
        error: "APIConnectionError",
        maybeProcessed: true,
        attempts: 1,
      });
      expect(serverOf(outcome).posts, say(outcome)).toBe(0);
    }
  });
});

/** Calls that came to the same share a line. */
function linesOf(outcomes: readonly MoneyOutcome[], postsOf: (outcome: MoneyOutcome) => number): string[] {
  const labels = new Map<string, string[]>();
  for (const outcome of outcomes) {
    const { way, label, error = "–", maybeProcessed, attempts } = outcome;
    // Whether an idle connection was gone before the POST is a race that a runtime may lose.
    if (way === "idle-close") continue;
    const processed = maybeProcessed === undefined ? "–" : maybeProcessed ? "maybe" : "no";
    const came = `${postsOf(outcome)} | ${attempts} | ${error} | ${processed}`;
    const line = `| ${way} | @ | ${came} |`;
    labels.set(line, [...(labels.get(line) ?? []), label]);
  }
  return [...labels].map(([line, same]) =>
    line.replace("@", same.length === Object.keys(CALLS).length ? "every call" : same.join(", ")),
  );
}

it("the table of all of it is the one that was agreed to", async () => {
  const lines = [...table].map(
    ([line, rows]) => `${line} ${rows.length === ROWS.length ? "all" : rows.join("; ")} |`,
  );
  const sorted = lines.sort((left, right) => wayOf(left) - wayOf(right));
  const head = [
    "| what happens | calls | POSTs | attempts told | error | processed | in |",
    "|---|---|---|---|---|---|---|",
  ];
  await expect(`${[...head, ...sorted].join("\n")}\n`).toMatchFileSnapshot("./money-table.md");
});

function wayOf(line: string): number {
  return [...BREAK_NAMES, ...UNREACHABLE, ...FAILOVER].findIndex((way) => line.startsWith(`| ${way} |`));
}
