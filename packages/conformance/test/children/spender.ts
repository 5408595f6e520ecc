import { ModelGateway } from "@model-gateway/core";
import { createBudget } from "@model-gateway/core/budget";
import { FileBudgetStore } from "@model-gateway/core/node";
import { priceBook } from "@model-gateway/core/prices";
import { RedisBudgetStore } from "@model-gateway/core/redis";

/** What this program is told: where everything is, and how many calls to make at once. */
export interface SpenderTask {
  baseURL: string;
  store: { file: string } | { redis: string; prefix: string };
  prices: Parameters<typeof priceBook>[0];
  limit: number;
  calls: number;
  leaseMs: number;
}

const task = JSON.parse(process.argv[2] ?? "") as SpenderTask;
const { store } = task;
const budget = createBudget({
  ...{ limit: task.limit, currency: "USD", window: { ms: 100_000_000_000_000 }, leaseMs: task.leaseMs },
  store:
    "file" in store
      ? new FileBudgetStore(store.file)
      : new RedisBudgetStore({ connection: store.redis, prefix: store.prefix }),
  onLevel: ({ level }) => process.send?.({ level }),
  onTrouble: ({ kind }) => process.send?.({ trouble: kind }),
});
const gateway = new ModelGateway({
  ...{ apiKey: "sk-emulator", baseURL: task.baseURL, maxRetries: 0 },
  ...{ prices: priceBook(task.prices), budget },
});
process.send?.({ ready: true });
process.once("message", async () => {
  const outcomes = await Promise.all(
    Array.from({ length: task.calls }, (_, index) =>
      gateway.images
        .generate({ model: "local-image", prompt: `A fox, number ${index}`, size: "256x256" })
        .then(
          () => "made",
          (error: unknown) => (error as { kind?: string }).kind ?? String(error),
        ),
    ),
  );
  await budget.flush();
  process.send?.({ outcomes, usage: await budget.usage(), open: await budget.open() });
  await budget.close();
  process.disconnect();
});
