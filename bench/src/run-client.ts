// One client, one scenario, in a fresh process: prints CPU microseconds per unit and the peak memory.
import type { ClientFactory } from "./bench-client.js";
import { SCENARIOS } from "./scenarios.js";

const [, , clientName = "", scenarioName = "", baseURL = ""] = process.argv;
const scenario = SCENARIOS.find(({ name }) => name === scenarioName);
if (scenario === undefined) throw new Error(`There is no scenario ${scenarioName}.`);

const client = await (await loadFactory(clientName))(baseURL);
const inputs = Array.from({ length: 64 }, (_, index) => `text ${index}`);
const work: Record<string, (() => Promise<unknown>) | undefined> = {
  chat: client.chat && (() => client.chat?.("Hello") as Promise<unknown>),
  stream: client.stream && (() => client.stream?.("packed") as Promise<unknown>),
  paced: client.stream && (() => client.stream?.("paced") as Promise<unknown>),
  embed: client.embed && (() => client.embed?.(inputs) as Promise<unknown>),
};
const once = work[scenario.name];
if (once === undefined) throw new Error(`${clientName} has no part in ${scenarioName}.`);

await run(Math.ceil(scenario.requests / 4), scenario.concurrency, once);
const before = process.cpuUsage();
await run(scenario.requests, scenario.concurrency, once);
const { user, system } = process.cpuUsage(before);
const microseconds = (user + system) / (scenario.requests * scenario.unitsPerRequest);
process.stdout.write(JSON.stringify({ microseconds, megabytes: process.resourceUsage().maxRSS / 1024 }));
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
    default:
      throw new Error(`There is no client ${name}.`);
  }
}
