import type { ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { API_KEY, errorOf, gatewayFor, TRANSPORTS } from "../../test/gateways.js";
import {
  chunk,
  errorBody,
  sendEvents,
  sendJSON,
  startServer,
  unusedAddress,
} from "../../test/scripted-server.js";
import {
  BudgetExceededError,
  type BudgetLevelEvent,
  type BudgetOptions,
  type BudgetTrouble,
  BudgetUnavailableError,
  createBudget,
} from "../budget.js";
import {
  APIUserAbortError,
  ConfigurationError,
  type ModelGatewayOptions,
  StreamInterruptedError,
  type VideoTask,
} from "../index.js";
import { priceBook } from "../prices.js";
import { BudgetLedger } from "./budget-ledger.js";

/** A unit per token made, none per token given: a call of `chat` costs up to its `max_tokens`. */
const prices = priceBook({
  unitsPerCurrency: 1_000,
  models: {
    chat: { input: 0, output: 1_000 },
    open: { input: 0, output: 1_000 },
    texts: { input: 1_000 },
    pictures: { request: 0.02 },
    speech: { characters: 1_000 },
    films: { second: 0.01 },
    free: { input: 0, output: 0 },
  },
});
const MESSAGES = [{ role: "user" as const, content: "Hello" }];
const ask = (max_tokens = 10, model = "chat") => ({ model, messages: MESSAGES, max_tokens });
const answer = (tokens: number) => ({
  id: "c1",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: tokens, total_tokens: tokens + 1 },
});
type Answers = (response: ServerResponse, count: number, path: string) => void;

/** A client on a budget in thousandths, at a gateway that answers as it is told. */
async function spending(
  answers: Answers,
  more: Partial<BudgetOptions> = {},
  options: Partial<ModelGatewayOptions> = {},
) {
  const server = await startServer((request, response, count) => answers(response, count, request.path));
  const troubles: BudgetTrouble[] = [];
  const budget = createBudget({
    ...{ limit: 0.1, currency: "USD", window: "day" },
    onTrouble: (trouble) => troubles.push(trouble),
    ...more,
  });
  const gateway = gatewayFor(server.url, { prices, budget, maxRetries: 0, ...options });
  /** In units. */
  const stand = async (account?: string) => {
    await budget.flush();
    const { spent, reserved } = await budget.usage(account);
    return [Math.round(spent * 1_000), Math.round(reserved * 1_000)];
  };
  return { server, gateway, budget, stand, troubles };
}

describe.each(TRANSPORTS)("a budget over %s", (_name, transport) => {
  const start = (answers: Answers, more?: Partial<BudgetOptions>, options?: Partial<ModelGatewayOptions>) =>
    spending(answers, more, { ...transport, ...options });

  it("reserves what a call can cost, and settles what it did", async () => {
    const held: ServerResponse[] = [];
    const { gateway, server, stand } = await start((response) => held.push(response));
    const call = gateway.chat.completions.create(ask(60));
    await server.arrived(1);
    expect(await stand()).toEqual([0, 60]);
    sendJSON(held[0] as ServerResponse, answer(7));
    await call;
    expect(await stand()).toEqual([7, 0]);
  });

  it("lets calls through as long as they fit, and sends no other, however many begin at once", async () => {
    const held: ServerResponse[] = [];
    const { gateway, server, stand } = await start((response) => held.push(response));
    const calls = Array.from({ length: 64 }, () =>
      gateway.chat.completions.create(ask(3)).then(undefined, (e) => e),
    );
    await server.arrived(33);
    for (const response of held) sendJSON(response, answer(3));
    const errors = (await Promise.all(calls)).filter(BudgetExceededError.isInstance);
    expect(server.requests).toHaveLength(33);
    expect(errors).toHaveLength(31);
    expect(await stand()).toEqual([99, 0]);
  });

  it("says of a call that does not fit what there is, what it needs and when there is more", async () => {
    const { gateway, server } = await start((response) => sendJSON(response, answer(50)));
    await gateway.chat.completions.create(ask(60));
    const error = (await errorOf(gateway.chat.completions.create(ask(51)))) as BudgetExceededError;
    expect(BudgetExceededError.isInstance(error)).toBe(true);
    const tomorrow = new Date(new Date().toISOString().slice(0, 10)).getTime() + 86_400_000;
    expect(error).toMatchObject({
      ...{
        kind: "budget_exceeded",
        name: "BudgetExceededError",
        attempts: 0,
        retryable: false,
        maybeProcessed: false,
      },
      ...{ limit: 0.1, spent: 0.05, reserved: 0, needed: 0.051, currency: "USD", renewsAt: tomorrow },
      ...{ method: "POST", path: "/chat/completions" },
    });
    expect(error.message).toMatch(
      /was not sent: it can cost up to 0.051 USD, .* of 0.1 USD, 0.05 USD are spent/,
    );
    const never = (await errorOf(gateway.chat.completions.create(ask(101)))) as Error;
    expect(never.message).toContain("It never fits");
    expect(server.requests).toHaveLength(1);
    await gateway.chat.completions.create(ask(50));
  });

  it("gives back what a call that was surely not made has reserved", async () => {
    const { gateway, stand } = await start((response) => sendJSON(response, errorBody("no"), 400));
    await errorOf(gateway.chat.completions.create(ask()));
    await errorOf(gateway.images.generate({ model: "pictures", prompt: "A fox" }));
    await errorOf(gateway.chat.completions.create({ ...ask(), messages: [] as never }));
    expect(await stand()).toEqual([0, 0]);
    const nobody = gatewayFor(await unusedAddress(), { prices, budget: createBudget(DAILY), maxRetries: 0 });
    await errorOf(nobody.chat.completions.create(ask()));
    const unsent = await spending(() => {}, {}, { ...transport, baseURL: await unusedAddress() });
    await errorOf(unsent.gateway.chat.completions.create(ask()));
    expect(await unsent.stand()).toEqual([0, 0]);
    expect(await unsent.budget.open()).toEqual([]);
  });

  it("keeps what a paid call in doubt has reserved, until somebody says what came of it", async () => {
    const { gateway, budget, stand } = await start((response) => response.destroy());
    const before = Date.now();
    const options = { idempotencyKey: "film-1", budgetTag: "t1" };
    const error = await errorOf(gateway.images.generate({ model: "pictures", prompt: "A fox" }, options));
    expect(error).toMatchObject({ maybeProcessed: true });
    expect(await stand()).toEqual([20, 0]);
    const [open, ...others] = await budget.open();
    expect(others).toEqual([]);
    expect(open).toMatchObject({
      ...{ amount: 0.02, state: "unresolved", call: "images.generate", model: "pictures" },
      ...{ requestKey: "film-1", tag: "t1", account: "" },
    });
    expect(open?.at).toBeGreaterThanOrEqual(before);
    expect(await budget.settle(open?.id ?? "", 0.015)).toBe(true);
    expect(await stand()).toEqual([15, 0]);
    expect(await budget.settle(open?.id ?? "", 0.015)).toBe(false);
    await errorOf(gateway.images.generate({ model: "pictures", prompt: "A fox" }));
    const [second] = await budget.open();
    expect(await budget.release(second?.id ?? "")).toBe(true);
    expect(await stand()).toEqual([15, 0]);
    expect(await budget.open()).toEqual([]);
  });

  it("counts what nobody got an answer of, where it is repeated without harm", async () => {
    const { gateway, budget, stand } = await start((response, count) =>
      count === 1 ? response.destroy() : sendJSON(response, "odd", 200),
    );
    await errorOf(gateway.chat.completions.create(ask(10)));
    expect(await stand()).toEqual([10, 0]);
    await errorOf(gateway.chat.completions.create(ask(20)));
    expect(await stand()).toEqual([30, 0]);
    expect(await budget.open()).toEqual([]);
  });

  it("needs room for each attempt that may be billed, and for none that surely was not", async () => {
    const { gateway, stand } = await start(
      (response, count) =>
        count === 1
          ? sendJSON(response, errorBody("slow down"), 429, { "retry-after-ms": "1" })
          : count === 2
            ? response.destroy()
            : sendJSON(response, answer(4)),
      {},
      { maxRetries: 2 },
    );
    const { cost } = await gateway.chat.completions.create(ask(50));
    expect(cost).toMatchObject({ units: 4, maybeMore: true });
    expect(await stand()).toEqual([54, 0]);
  });

  it("repeats nothing that does not fit a second time", async () => {
    const { gateway, server, stand } = await start((response) => response.destroy(), {}, { maxRetries: 2 });
    const error = await errorOf(gateway.chat.completions.create(ask(60)));
    expect(error).toMatchObject({ kind: "budget_exceeded", attempts: 1, needed: 0.06, reserved: 0.06 });
    expect((error as Error).message).toContain("was not repeated");
    expect(server.requests).toHaveLength(1);
    expect(await stand()).toEqual([60, 0]);
    const paid = await start((response) => response.destroy(), {}, { maxRetries: 2, retryBillable: true });
    const call = { model: "speech", input: "x".repeat(60), voice: "v" };
    const doubt = await errorOf(paid.gateway.audio.speech.create(call));
    expect(doubt).toMatchObject({ kind: "budget_exceeded", maybeProcessed: true });
    expect((doubt as Error).message).toContain("check the usage records");
    expect(await paid.stand()).toEqual([60, 0]);
    expect(await paid.budget.open()).toMatchObject([{ state: "unresolved", amount: 0.06 }]);
  });

  it("settles a stream at its end, by what it came to", async () => {
    const held: ServerResponse[] = [];
    const { gateway, server, stand } = await start((response) => {
      held.push(response);
      sendEvents(response, [chunk("Hi")]);
    });
    const stream = await gateway.chat.completions.create({ ...ask(30), stream: true });
    expect(await stand()).toEqual([0, 30]);
    const usage = { prompt_tokens: 1, completion_tokens: 5, total_tokens: 6 };
    const rest = [chunk("", "stop"), { ...(chunk("") as object), choices: [], usage }, "[DONE]"];
    const [response] = held as [ServerResponse];
    for (const event of rest)
      response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
    response.end();
    await stream.finalCompletion();
    expect(await stand()).toEqual([5, 0]);
    expect(server.requests).toHaveLength(1);
  });

  it.each(["cut", "aborted", "left", "silent", "without usage"])(
    "counts a stream that is %s at the most that it can have cost",
    async (how) => {
      const { gateway, stand } = await start(
        (response) => {
          sendEvents(response, [
            chunk("Hi"),
            ...(how === "without usage" ? [chunk("", "stop"), "[DONE]"] : []),
          ]);
          if (how === "cut" || how === "without usage") response.end();
        },
        {},
        { streamIdleTimeout: how === "silent" ? 50 : 60_000 },
      );
      const stream = await gateway.chat.completions.create({ ...ask(30), stream: true });
      const read = (async () => {
        for await (const _ of stream) {
          if (how === "aborted") stream.abort();
          if (how === "left") return "left";
        }
        return "whole";
      })();
      const outcome = await read.catch((error: unknown) => error);
      if (how === "aborted") expect(outcome).toBeInstanceOf(APIUserAbortError);
      else if (how === "left" || how === "without usage")
        expect(outcome).toBe(how === "left" ? "left" : "whole");
      else expect(outcome).toBeInstanceOf(StreamInterruptedError);
      expect(await stand()).toEqual([30, 0]);
    },
  );

  it("settles a stream that nobody reads", async () => {
    const { gateway, budget } = await start(
      (response) => {
        sendEvents(
          response,
          Array.from({ length: 3_000 }, () => chunk("x".repeat(1_000))),
        );
      },
      {},
      { streamIdleTimeout: 50 },
    );
    await gateway.chat.completions.create({ ...ask(30), stream: true });
    while ((await budget.usage()).spent === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await budget.usage()).toMatchObject({ spent: 0.03, reserved: 0 });
  });

  it("settles a call whose answer is no stream where one was asked for", async () => {
    const { gateway, stand } = await start((response) => sendJSON(response, answer(3)));
    await errorOf(gateway.chat.completions.create({ ...ask(30), stream: true }));
    expect(await stand()).toEqual([30, 0]);
  });

  it("reserves and settles each request of embeddings, and reads for nothing", async () => {
    const { gateway, stand, server } = await start((response, count, path) => {
      if (path.endsWith("/models")) return sendJSON(response, { object: "list", data: [] });
      const data = [{ object: "embedding", index: 0, embedding: [count] }];
      sendJSON(response, {
        object: "list",
        data,
        model: "texts",
        usage: { prompt_tokens: 2, total_tokens: 2 },
      });
    });
    const { cost } = await gateway.embeddings.create(
      { model: "texts", input: ["a", "b", "c"] },
      { batchSize: 1 },
    );
    expect(cost).toMatchObject({ units: 6 });
    await gateway.models.list();
    expect(server.requests).toHaveLength(4);
    expect(await stand()).toEqual([6, 0]);
    expect((await gateway.embeddings.create({ model: "texts", input: [] })).data).toEqual([]);
    // One request of many texts is one request: it is not reserved for as if each were sent by itself.
    const many = { model: "pictures", input: Array.from({ length: 50 }, (_, index) => String(index)) };
    expect(await errorOf(gateway.embeddings.create(many, { batchSize: 50 }))).not.toMatchObject({
      kind: "budget_exceeded",
    });
  });

  it("keeps a video's room until its task is over, in whatever process that is seen", async () => {
    const status = { now: "running" };
    const store = new BudgetLedger();
    const { gateway, server, stand, budget } = await start(
      (response) => sendJSON(response, { id: "t1", status: status.now, model: "films" }),
      { store },
    );
    const body = { model: "films", content: [{ type: "text" as const, text: "A fox" }], duration: 5 };
    const { handle } = await gateway.videos.create(body);
    expect(await stand()).toEqual([0, 50]);
    expect(await budget.open()).toMatchObject([{ state: "task", task: "t1", amount: 0.05 }]);
    await gateway.videos.retrieve(handle);
    expect(await stand()).toEqual([0, 50]);
    status.now = "succeeded";
    const other = gatewayFor(server.url, {
      prices,
      budget: createBudget({ ...DAILY, limit: 0.1, store }),
      ...transport,
    });
    await other.videos.retrieve(JSON.parse(JSON.stringify(handle)) as VideoTask["handle"]);
    expect(await stand()).toEqual([50, 0]);
    await other.videos.retrieve(handle);
    expect(await stand()).toEqual([50, 0]);
  });

  it.each(["failed", "cancelled", "expired"])(
    "gives back what a video that is %s would have cost",
    async (end) => {
      const { gateway, stand } = await start((response, count) =>
        sendJSON(response, { id: "t1", status: count === 1 ? "queued" : end }),
      );
      const body = { model: "films", content: [{ type: "text" as const, text: "A fox" }], duration: 5 };
      const { handle } = await gateway.videos.create(body);
      expect((await gateway.videos.retrieve(handle)).status).toBe(end);
      expect(await stand()).toEqual([0, 0]);
    },
  );

  it("counts a video when the gateway says what it cost, at once or at its end", async () => {
    const told = await start((response, count) =>
      sendJSON(response, { id: "t1", status: count === 1 ? "queued" : "succeeded", usage: { cost: 0.02 } }),
    );
    const body = { model: "films", content: [{ type: "text" as const, text: "A fox" }], duration: 5 };
    const { handle } = await told.gateway.videos.create(body);
    expect(await told.stand()).toEqual([20, 0]);
    expect(handle.reservation).toBeUndefined();
    const late = await start((response, count) =>
      sendJSON(response, {
        id: "t1",
        status: count === 1 ? "queued" : "succeeded",
        ...(count > 1 && { usage: { cost: 0.02 } }),
      }),
    );
    await late.gateway.videos.retrieve((await late.gateway.videos.create(body)).handle);
    expect(await late.stand()).toEqual([20, 0]);
  });
});

const DAILY: BudgetOptions = { limit: 1, currency: "USD", window: "day" };

describe("calls without a price", () => {
  it("are refused, and told what is missing", async () => {
    const { gateway, server, troubles } = await spending((response) => sendJSON(response, answer(1)));
    const unpriced = await errorOf(gateway.chat.completions.create(ask(10, "unknown")));
    expect(unpriced).toMatchObject({
      ...{ kind: "budget_exceeded", needed: Number.POSITIVE_INFINITY },
      missing: ["a price of the model unknown"],
    });
    const unbounded = await errorOf(gateway.chat.completions.create({ model: "open", messages: MESSAGES }));
    expect((unbounded as BudgetExceededError).missing).toContain("max_tokens");
    expect((unbounded as Error).message).toMatch(/nothing bounds what it can cost.*max_tokens/);
    expect(await errorOf(gateway.request({ method: "POST", path: "/other", body: {} }))).toMatchObject({
      kind: "budget_exceeded",
    });
    expect(server.requests).toHaveLength(0);
    expect(troubles).toEqual([]);
  });

  it("pass where that is allowed, count when it is known what they cost, and are told of when it is not", async () => {
    const { gateway, stand, troubles } = await spending(
      (response, count) => (count < 3 ? sendJSON(response, answer(8)) : response.destroy()),
      { unpriced: "allow" },
    );
    await gateway.chat.completions.create({ model: "open", messages: MESSAGES });
    expect(await stand()).toEqual([8, 0]);
    expect(troubles).toEqual([]);
    await gateway.chat.completions.create(ask(10, "unknown"));
    expect(troubles).toMatchObject([
      { kind: "uncounted", call: "chat.completions.create", model: "unknown" },
    ]);
    expect(troubles[0]?.message).toMatch(/does not count it/);
    await errorOf(gateway.chat.completions.create({ model: "open", messages: MESSAGES }));
    expect(troubles).toHaveLength(2);
    expect(await stand()).toEqual([8, 0]);
  });

  it("are no matter where calls are free", async () => {
    const { gateway, stand } = await spending((response) => sendJSON(response, answer(8)), { limit: 0 });
    await gateway.chat.completions.create(ask(10, "free"));
    expect(await errorOf(gateway.chat.completions.create(ask(1)))).toMatchObject({ kind: "budget_exceeded" });
    expect(await stand()).toEqual([0, 0]);
  });
});

describe("whose budget it is", () => {
  it("is each key's, which no store and no message holds", async () => {
    const store = new BudgetLedger();
    const { gateway, stand } = await spending((response) => sendJSON(response, answer(60)), {
      per: "key",
      store,
    });
    const other = gateway.withKey(async () => "sk-other-0123456789");
    await gateway.chat.completions.create(ask(60));
    await other.chat.completions.create(ask(60));
    const error = await errorOf(gateway.chat.completions.create(ask(60)));
    expect(error).toMatchObject({ kind: "budget_exceeded", spent: 0.06 });
    expect(await stand(API_KEY)).toEqual([60, 0]);
    expect(await stand("sk-other-0123456789")).toEqual([60, 0]);
    expect(JSON.stringify([store.state, error])).not.toMatch(/sk-other|sk-test/);
    expect(store.state.accounts.map(([name]) => name)).toEqual([
      expect.stringMatching(/^default\/\d{4}-\d\d-\d\d\/[0-9a-f]{32}$/),
      expect.stringMatching(/^default\/\d{4}-\d\d-\d\d\/[0-9a-f]{32}$/),
    ]);
  });

  it("is each tag's, or what a function says", async () => {
    const byTag = await spending((response) => sendJSON(response, answer(60)), { per: "tag" });
    for (const budgetTag of ["a/b", "b", undefined])
      await byTag.gateway.chat.completions.create(ask(60), { ...(budgetTag && { budgetTag }) });
    expect(await errorOf(byTag.gateway.chat.completions.create(ask(60), { budgetTag: "a/b" }))).toMatchObject(
      {
        kind: "budget_exceeded",
      },
    );
    for (const account of ["a/b", "b", ""]) expect(await byTag.stand(account)).toEqual([60, 0]);
    const asked: unknown[] = [];
    const byFunction = await spending((response) => sendJSON(response, answer(60)), {
      per: (call) => {
        asked.push(call);
        return call.name;
      },
    });
    await byFunction.gateway.chat.completions.create(ask(60), { budgetTag: "x" });
    expect(asked).toEqual([{ name: "chat.completions.create", model: "chat", tag: "x" }]);
    expect(await byFunction.stand("chat.completions.create")).toEqual([60, 0]);
    expect(await byFunction.stand()).toEqual([0, 0]);
  });
});

describe("the window of a budget", () => {
  it("holds anew when it turns, and what is settled late belongs to the one before", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-01-31T23:59:50Z") });
    onTestFinished(() => void vi.useRealTimers());
    const held: ServerResponse[] = [];
    const store = new BudgetLedger();
    const { gateway, server, stand } = await spending((response) => held.push(response), {
      window: "month",
      store,
    });
    const late = gateway.chat.completions.create(ask(60));
    await server.arrived(1);
    expect(await stand()).toEqual([0, 60]);
    expect(await errorOf(gateway.chat.completions.create(ask(60)))).toMatchObject({
      renewsAt: Date.parse("2026-02-01T00:00Z"),
    });
    vi.setSystemTime(Date.parse("2026-02-01T00:00:10Z"));
    const next = gateway.chat.completions.create(ask(60));
    await server.arrived(2);
    expect(await stand()).toEqual([0, 60]);
    for (const response of held) sendJSON(response, answer(50));
    await Promise.all([late, next]);
    expect(await stand()).toEqual([50, 0]);
    expect(store.state.accounts.map(([name, { spent }]) => [name, spent])).toEqual([
      ["default/2026-01/", 50],
      ["default/2026-02/", 50],
    ]);
  });
});

describe("levels of a budget", () => {
  it("are told once, and by whom they are reached", async () => {
    const events: BudgetLevelEvent[] = [];
    const { gateway } = await spending((response) => sendJSON(response, answer(26)), {
      per: "tag",
      onLevel: (event) => events.push(event),
    });
    for (let count = 0; count < 5; count++)
      await gateway.chat.completions.create(ask(26), { budgetTag: "t/1" }).catch(() => undefined);
    expect(events.map(({ level, account, spent }) => [level, account, Math.round(spent * 1_000)])).toEqual([
      [0.5, "t/1", 52],
      [0.8, "t/1", 78],
      [1, "t/1", 78],
    ]);
    expect(events[0]).toMatchObject({ budget: "default", limit: 0.1, currency: "USD" });
  });

  it("disturb no call when those who are told fail", async () => {
    const { gateway, stand } = await spending((response) => sendJSON(response, answer(90)), {
      onLevel: () => {
        throw new Error("told");
      },
    });
    await gateway.chat.completions.create(ask(90));
    expect(await stand()).toEqual([90, 0]);
  });
});

describe("a store that fails", () => {
  class FailingStore extends BudgetLedger {
    override readonly shared = true;
    failing = false;

    override reserve(...values: Parameters<BudgetLedger["reserve"]>) {
      const answer = this.failing
        ? Promise.reject(new Error("away"))
        : Promise.resolve(super.reserve(...values));
      return answer as never;
    }

    override settle(...values: Parameters<BudgetLedger["settle"]>) {
      if (this.failing) throw new Error("away");
      return super.settle(...values);
    }
  }

  it("has no call sent, and is told what it missed when it is back", async () => {
    const store = new FailingStore();
    const { gateway, server, stand, troubles, budget } = await spending(
      (response) => {
        store.failing = true;
        sendJSON(response, answer(5));
      },
      { store },
    );
    await gateway.chat.completions.create(ask(10));
    await budget.flush();
    expect(troubles.map(({ kind }) => kind)).toEqual(["unsettled"]);
    const error = (await errorOf(gateway.chat.completions.create(ask(10)))) as BudgetUnavailableError;
    expect(BudgetUnavailableError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      kind: "budget_unavailable",
      retryable: true,
      maybeProcessed: false,
      attempts: 0,
    });
    expect(error.message).toMatch(/was not sent: the store of the budget default failed \(.*away/);
    expect(server.requests).toHaveLength(1);
    store.failing = false;
    expect(await stand()).toEqual([5, 0]);
    await budget.close();
  });

  it("holds up no call longer than it may take, and takes back what came too late", async () => {
    const waiting: (() => void)[] = [];
    class HangingStore extends FailingStore {
      override reserve(...values: Parameters<BudgetLedger["reserve"]>) {
        const asked = new Promise<void>((resolve) => waiting.push(resolve));
        return asked.then(() => super.reserve(...values)) as never;
      }
    }
    const store = new HangingStore();
    const { gateway, server, stand, budget } = await spending((response) => sendJSON(response, answer(5)), {
      store,
    });
    const abort = new AbortController();
    const aborted = errorOf(gateway.chat.completions.create(ask(10), { signal: abort.signal }));
    while (waiting.length < 1) await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    expect(await aborted).toBeInstanceOf(APIUserAbortError);
    expect(await errorOf(gateway.chat.completions.create(ask(10), { deadline: 20 }))).toMatchObject({
      ...{ kind: "timeout", timeoutMs: 20, attempts: 0 },
    });
    expect(store.list()).toEqual([]);
    for (const goOn of waiting) goOn();
    while ((await budget.usage()).reserved > 0 || store.state.accounts.length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    expect(await stand()).toEqual([0, 0]);
    expect(await budget.open()).toEqual([]);
    expect(server.requests).toHaveLength(0);
  });

  it("hears what was settled before a call is refused that needs its room", async () => {
    let release: () => void = () => {};
    class SlowStore extends FailingStore {
      override settle(...values: Parameters<BudgetLedger["settle"]>) {
        return new Promise<void>((resolve) => {
          release = resolve;
        }).then(() => super.settle(...values)) as never;
      }
    }
    const store = new SlowStore();
    const levels: number[] = [];
    const { gateway } = await spending((response) => sendJSON(response, answer(5)), {
      store,
      onLevel: ({ level }) => levels.push(level),
    });
    await gateway.chat.completions.create(ask(60));
    const second = gateway.chat.completions.create(ask(60));
    setImmediate(() => release());
    expect((await second).cost).toMatchObject({ units: 5 });
    expect(levels).toEqual([]);
  });
});

describe("processes that share a budget", () => {
  class SharedLedger extends BudgetLedger {
    override readonly shared = true;
  }

  it("are told of a call that one of them died in, which counts as spent", async () => {
    const store = new SharedLedger();
    const dead = await spending(() => {}, { store, leaseMs: 1 });
    const gone = dead.gateway.images.generate(
      { model: "pictures", prompt: "A fox" },
      { idempotencyKey: "k1" },
    );
    gone.catch(() => undefined);
    await dead.server.arrived(1);
    // A process that ends says nothing more.
    const renew = store.renew.bind(store);
    store.renew = (ids, until) =>
      renew(
        ids.filter((id) => store.list()[0]?.id !== id),
        until,
      );
    while ((store.list()[0]?.leaseUntil ?? 0) >= Date.now())
      await new Promise((resolve) => setTimeout(resolve, 2));
    const next = await spending((response) => sendJSON(response, answer(1)), { store });
    await next.gateway.chat.completions.create(ask(1));
    while (next.troubles.length + dead.troubles.length === 0)
      await new Promise((resolve) => setTimeout(resolve, 2));
    const [told] = [...next.troubles, ...dead.troubles];
    expect(told).toMatchObject({
      kind: "unresolved",
      call: "images.generate",
      model: "pictures",
      requestKey: "k1",
    });
    expect(told?.message).toMatch(/counts as 0.02 USD spent.*request k1.*settle\(".*release\("/);
    expect(await next.stand()).toEqual([21, 0]);
    const [open] = await next.budget.open();
    expect(await next.budget.release(open?.id ?? "")).toBe(true);
    expect(await next.stand()).toEqual([1, 0]);
    await next.budget.close();
    await dead.budget.close();
  });

  it("say that they live as long as their calls go on", async () => {
    const store = new SharedLedger();
    const held: ServerResponse[] = [];
    const { gateway, server, budget, stand, troubles } = await spending((response) => held.push(response), {
      ...{ store, leaseMs: 30 },
    });
    const call = gateway.chat.completions.create(ask(10));
    await server.arrived(1);
    const first = store.list()[0]?.leaseUntil ?? 0;
    while (store.list()[0]?.leaseUntil === first) await new Promise((resolve) => setTimeout(resolve, 2));
    sendJSON(held[0] as ServerResponse, answer(2));
    await call;
    expect(await stand()).toEqual([2, 0]);
    expect(troubles.every(({ kind }) => kind === "unresolved")).toBe(true);
    await budget.close();
  });
});

describe("the settings of a budget", () => {
  it.each([
    ["limit", { limit: -1 }],
    ["limit", { limit: Number.NaN }],
    ["currency", { currency: "" }],
    ["window", { window: "week" }],
    ["window", { window: { ms: 0 } }],
    ["per", { per: "user" }],
    ["store", { store: {} }],
    ["unpriced", { unpriced: "ignore" }],
    ["name", { name: "a/b" }],
    ["leaseMs", { leaseMs: 0 }],
    ["limits", { limits: 1 }],
  ])("name %s when it is wrong", async (option, wrong) => {
    const error = await errorOf((async () => createBudget({ ...DAILY, ...wrong } as never))());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).toContain(option);
  });

  it("need prices in the same currency and the same units", async () => {
    const make = (options: object) => errorOf((async () => gatewayFor("http://127.0.0.1:1/v1", options))());
    expect(await make({ budget: createBudget(DAILY) })).toMatchObject({
      kind: "configuration",
      option: "prices",
    });
    expect(await make({ budget: {}, prices })).toMatchObject({ kind: "configuration", option: "budget" });
    const euros = createBudget({ ...DAILY, currency: "EUR" });
    expect(await make({ budget: euros, prices })).toMatchObject({ kind: "configuration", option: "budget" });
    const budget = createBudget(DAILY);
    gatewayFor("http://127.0.0.1:1/v1", { budget, prices });
    expect(await make({ budget, prices: priceBook() })).toMatchObject({
      kind: "configuration",
      option: "prices",
    });
  });

  it("must belong to a client before anything is asked", async () => {
    const budget = createBudget(DAILY);
    for (const asked of [budget.usage(), budget.open(), budget.settle("x", 1), budget.release("x")])
      expect(await errorOf(asked)).toMatchObject({ kind: "configuration" });
    gatewayFor("http://127.0.0.1:1/v1", { budget, prices });
    expect(await errorOf(budget.settle("x", -1))).toMatchObject({ kind: "configuration" });
    expect(await budget.release("x")).toBe(false);
  });
});
