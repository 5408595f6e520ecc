// One client, one scenario, in a fresh process: prints its figure, or null where it has no part.
import type { ClientFactory } from "./bench-client.js";
import { SCENARIOS } from "./scenarios.js";

const [, , clientName = "", scenarioName = "", baseURL = ""] = process.argv;
const scenario = SCENARIOS.find(({ name }) => name === scenarioName);
if (scenario === undefined) throw new Error(`There is no scenario ${scenarioName}.`);

const imported = process.cpuUsage();
const client = await (await loadFactory(clientName))(baseURL);
const { user: importUser, system: importSystem } = process.cpuUsage(imported);
const once = await scenario.work(client);
if (once === undefined) {
  process.stdout.write("null");
  process.exit(0);
}

const { measure = "cpu", cold = false, requests, concurrency, unitsPerRequest } = scenario;
let value: number;
if (measure === "import") {
  value = (importUser + importSystem) / 1_000;
} else if (measure === "memory") {
  if (!cold) await once();
  const before = process.memoryUsage.rss();
  await run(requests, concurrency, once);
  value = (process.resourceUsage().maxRSS * 1024 - before) / 1e6;
} else {
  if (!cold) await run(Math.ceil(requests / 4), concurrency, once);
  const before = process.cpuUsage();
  await run(requests, concurrency, once);
  const { user, system } = process.cpuUsage(before);
  value = (user + system) / (measure === "first" ? 1_000 : requests * unitsPerRequest);
}
process.stdout.write(JSON.stringify(value));
process.exit(0);

async function run(count: number, concurrency: number, task: () => Promise<unknown>): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await task();
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

async function loadFactory(name: string): Promise<ClientFactory> {
  switch (name) {
    case "floor":
      return (await import("./clients/floor.js")).floor;
    case "core":
      return (await import("./clients/core.js")).core;
    case "openai":
      return (await import("./clients/openai.js")).openai;
    case "ai-sdk-provider":
      return (await import("./clients/ai-sdk.js")).aiSdkProvider;
    case "@ai-sdk/openai-compatible":
      return (await import("./clients/ai-sdk.js")).openaiCompatible;
    case "langchain":
      return (await import("./clients/langchain.js")).langchain;
    case "@langchain/openai":
      return (await import("./clients/langchain.js")).langchainOpenAI;
    case "nestjs":
      return (await import("./clients/nestjs.js")).nestjs;
    default:
      throw new Error(`There is no client ${name}.`);
  }
}
