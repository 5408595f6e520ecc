import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEmulator } from "../index.js";
import { bearer } from "../testing/start-emulator.js";
import { controlRoutes } from "./control-routes.js";

const anything = fc.jsonValue({ maxDepth: 3 });
const mostly = (...right: unknown[]) =>
  fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...right) }, { weight: 1, arbitrary: anything });

/** Every member that any of the routes takes, right more often than not. */
const members = {
  key: mostly("sk-fuzz", "sk-emulator", "sk- "),
  name: mostly("fuzz", "default"),
  group: mostly("default", "fuzz"),
  models: mostly([], ["local-chat"], ["none"], null),
  description: mostly("a", null),
  rateLabel: mostly("1x", null),
  quota: mostly(0, 1e6, -1, null),
  rateLimit: mostly({ requests: 1, windowMs: 1 }, { requests: 1e9, windowMs: 1e15 }, {}),
  disabled: mostly(false, true),
  expiresAt: mostly(0, 1e300, null),
  moderation: mostly(true, null),
  advanceMs: mostly(0, 1e4, 1e12, 1e300),
  setMs: mostly(0, 1e12, 8.64e15, -1),
  kind: mostly("delay", "status", "html", "cut-stream"),
  path: mostly("/models", "*"),
  model: mostly("local-chat"),
  times: mostly(1, 0),
  status: mostly(500, 200, 1e9),
  delayMs: mostly(0, 1e15),
  message: mostly("no", ""),
  id: mostly("fuzz-model", "local-chat"),
  like: mostly("local-chat", "none"),
  price: mostly({ inputTokens: 1 }, { inputTokens: -1 }, null),
  when: mostly({ text: "a" }, { text: "/a/" }, { text: "/(/" }, { path: "/chat/completions" }),
  reply: mostly("a", { a: 1 }, null),
  next: mostly(true, false),
};
/** What never ends. */
const EVENTS = "/api/events";
const names = Object.keys(members) as (keyof typeof members)[];
const queryNames = ["family", "method", "base", "taskId", "delivered", "endpoint", "requestId", ...names];
const parameters = ["default", "fuzz", "sk-emulator", "sk-fuzz", "fault-1", "%", "%E0%A4", "__proto__", "🦊"];

/** One route, with members of its own among those it is given. */
const call = fc.record({
  route: fc.constantFrom(...controlRoutes),
  taken: fc.subarray(names, { maxLength: 4 }),
  values: fc.record(members),
  raw: fc.option(
    fc.oneof(
      anything.map((value) => JSON.stringify(value)),
      fc.string(),
    ),
    { freq: 12 },
  ),
  query: fc.array(
    fc.tuple(fc.constantFrom(...queryNames), fc.constantFrom("content", "failed", "true", "1", "")),
    {
      maxLength: 2,
    },
  ),
  parameter: fc.constantFrom(...parameters),
});

describe("whatever is sent to the control API", () => {
  it("it answers, in the Error body where it refuses, and the gateway goes on", async () => {
    const emulator = createEmulator();
    const { origin } = new URL(emulator.url);
    const reached = new Set<string>();
    await fc.assert(
      fc
        .asyncProperty(call, async ({ route, taken, values, raw, query, parameter }) => {
          const [task] = emulator.videos.list();
          const path = route.path.replace(/:\w+/, route.path.includes("tasks") && task ? task.id : parameter);
          const url = `${origin}/_emulator${path}?${new URLSearchParams(query)}`;
          const own = bodyNames(route.path, taken);
          const body = raw ?? JSON.stringify(Object.fromEntries(own.map((name) => [name, values[name]])));
          const response = await emulator.fetch(url, {
            method: route.method,
            ...(route.body ? { body } : {}),
          });
          const isEndless = route.path === EVENTS && response.ok;
          if (isEndless) await response.body?.cancel();
          const text = isEndless ? "" : await response.text();
          expect([200, 201, 204, 400, 404], text).toContain(response.status);
          if (response.ok) reached.add(`${route.method} ${route.path}`);
          else
            expect(JSON.parse(text)).toEqual({
              error: { message: expect.any(String), type: "invalid_request_error", code: expect.any(String) },
            });
          const alive = await emulator.fetch(`${emulator.url}/videos`, {
            method: "POST",
            headers: bearer("sk-emulator"),
            body: JSON.stringify({
              model: "local-video-2.0",
              content: [{ type: "text", text: "a boat" }],
            }),
          });
          // Faults, limits and what became of the key are in force: they are what was asked for.
          expect(emulator.journal.list().at(-1)?.failure).toBeUndefined();
          await alive.body?.cancel();
        })
        .beforeEach(() => {
          for (const { id, kind } of emulator.faults.list()) {
            if (kind === "delay" || kind.startsWith("drop") || kind === "slow-stream")
              emulator.faults.clear(id);
          }
        }),
      { numRuns: 1_500 },
    );
    expect(reached.size).toBeGreaterThan(controlRoutes.length / 2);
    await emulator.close();
  }, 60_000);
});

/** What the route is likely to take, and now and then something else. */
function bodyNames(path: string, taken: (keyof typeof members)[]): (keyof typeof members)[] {
  if (path.endsWith("/keys")) return ["key", "group", ...taken.filter((name) => name in KEY_MEMBERS)];
  if (path.endsWith("/groups")) return ["name", "models"];
  if (path.endsWith("/clock"))
    return taken.length % 2 === 0 ? ["advanceMs"] : [taken.length === 1 ? "next" : "setMs"];
  if (path.endsWith("/models")) return ["id", "like", ...taken.filter((name) => name === "price")];
  if (path.endsWith("/replies")) return ["reply", "when", ...taken.filter((name) => name === "times")];
  if (path.endsWith("/faults")) return ["kind", ...taken.filter((name) => name in FAULT_MEMBERS)];
  if (path.endsWith("/fail")) return taken.length % 2 === 0 ? [] : ["message"];
  return taken;
}

const KEY_MEMBERS = { models: 1, quota: 1, rateLimit: 1, disabled: 1, expiresAt: 1, moderation: 1 };
const FAULT_MEMBERS = { path: 1, model: 1, times: 1, status: 1 };
