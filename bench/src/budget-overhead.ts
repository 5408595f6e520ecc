import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ModelGateway } from "@model-gateway/core";
import { createBudget } from "@model-gateway/core/budget";
import { FileBudgetStore } from "@model-gateway/core/node";
import { priceBook } from "@model-gateway/core/prices";

// What a budget adds to a call, in microseconds of CPU: `pnpm --filter @model-gateway/bench run budget`.

const ROUNDS = 15;
const CALLS = 2_000;
const AT_ONCE = 64;

const prices = priceBook({ models: { m: { input: 0.5, output: 2 } } });
const limits = { limit: Number.MAX_SAFE_INTEGER, currency: "USD", window: "day" as const };
const folder = await mkdtemp(join(tmpdir(), "budget-bench-"));
const budgets = {
  "prices alone": undefined,
  "budget in memory": createBudget(limits),
  "budget in memory, per key": createBudget({ ...limits, per: "key" }),
  "budget in files": createBudget({ ...limits, store: new FileBudgetStore(join(folder, "budget")) }),
};
const answer = JSON.stringify({
  id: "c",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
});
const headers = { "content-type": "application/json" };
const body = {
  model: "m",
  max_tokens: 100,
  messages: [{ role: "user" as const, content: "What is a fox, and where does it live in winter?" }],
};
const clients = Object.entries(budgets).map(([name, budget]) => {
  const options = { apiKey: "sk-bench", baseURL: "http://127.0.0.1:1/v1", prices, ...(budget && { budget }) };
  const gateway = new ModelGateway({ ...options, fetch: async () => new Response(answer, { headers }) });
  return { name, gateway, times: [] as number[] };
});

// In turns: what else the machine does hits all of them.
for (let round = 0; round <= ROUNDS; round++)
  for (const { gateway, times } of clients) {
    const before = process.cpuUsage();
    for (let left = CALLS; left > 0; left -= AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, () => gateway.chat.completions.create(body)));
    const { user, system } = process.cpuUsage(before);
    // The first round warms up.
    if (round > 0) times.push((user + system) / (Math.ceil(CALLS / AT_ONCE) * AT_ONCE));
  }

const medians = clients.map(({ name, times }) => ({ name, us: medianOf(times) }));
const floor = medians[0]?.us ?? 0;
console.table(
  medians.map(({ name, us }) => ({
    client: name,
    "µs a call": us.toFixed(1),
    added: (us - floor).toFixed(1),
  })),
);
console.log(
  `The budget in memory by itself: ${alone().toFixed(1)} µs a call, of which the quote takes most.`,
);
await Promise.all(Object.values(budgets).map((budget) => budget?.close()));
await rm(folder, { recursive: true, force: true });

/** Without a client, whose own work makes more noise than this takes. */
function alone(): number {
  const spending = createBudget(limits).spendBy(prices);
  const request = { name: "chat.completions.create", method: "POST", path: "/chat/completions", body };
  const attempt = { address: "general" as const, phase: "answered" as const, status: 200, ms: 1 };
  const cost = { amount: 0.00001, currency: "USD", units: 5, source: "price-book" as const };
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let left = CALLS * 10; left > 0; left--) {
      const timeline: (typeof attempt)[] = [];
      const call = { call: { ...request, cost: "repeatable" as const }, options: {}, headers: {}, timeline };
      const expense = spending.begin(call);
      expense?.reserve("sk-bench");
      timeline.push(attempt);
      expense?.answered({ cost }, false);
    }
    const { user, system } = process.cpuUsage(before);
    if (round > 0) times.push((user + system) / (CALLS * 10));
  }
  return medianOf(times);
}

function medianOf(times: number[]): number {
  return times.sort((a, b) => a - b)[times.length >> 1] ?? 0;
}
