import { simulate, type World } from "@model-gateway/emulator/simulation";
import OpenAI from "openai";

async function shop(world: World): Promise<void> {
  const client = new OpenAI({ apiKey: world.apiKey, baseURL: world.baseURL, maxRetries: 0 });
  const buy = async () => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await client.images.generate({ model: "local-image", prompt: "a fox" });
      } catch (error) {
        if (attempt === 3) throw error;
      }
    }
  };
  await world.intend("the picture of order 1", buy).catch(() => {});
}

const { failure } = await simulate({ app: shop, runs: 500 });
console.log(failure?.violation); // nothing is paid twice: the picture of order 1 was paid 2 times
console.log(failure?.faults.length, failure?.story.join("\n"));

import { open, readFile } from "node:fs/promises";

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, "w");
  await file.writeFile(text);
  await file.sync();
  await file.close();
}

async function careful(world: World): Promise<void> {
  const client = new OpenAI({ apiKey: world.apiKey, baseURL: world.baseURL, maxRetries: 0 });
  const note = world.disk.path("order-1");
  const buy = async () => {
    if ((await readFile(note, "utf8").catch(() => "")) !== "") return; // begun before: somebody looks into it
    await writeSynced(note, "begun");
    await client.images.generate({ model: "local-image", prompt: "a fox" }).catch((error) => {
      throw Object.assign(error, { maybeProcessed: true });
    });
    await writeSynced(note, "done");
  };
  const service = world.service("shop", () => world.intend("order 1", buy).catch(() => {}).then(() => {}));
  await service.ended;
}

const report = await simulate({ app: careful, runs: 500, invariants: { "nothing paid is lost": false } });
console.log(report.failure?.violation); // nothing is paid twice: order 1 was paid 2 times


    async function writeWithName(path: string, text: string): Promise<void> {
      await writeSynced(path, text);
      const folder = await open(path.slice(0, path.lastIndexOf("/")), "r");
      await folder.sync();
      await folder.close();
    }
    const invariants = { "nothing paid is lost": false } as const;
    const repaired = await simulate({ app: named, runs: 500, invariants });
    async function named(world: World): Promise<void> {
  const client = new OpenAI({ apiKey: world.apiKey, baseURL: world.baseURL, maxRetries: 0 });
  const note = world.disk.path("order-1");
  const buy = async () => {
    if ((await readFile(note, "utf8").catch(() => "")) !== "") return; // begun before: somebody looks into it
    await writeWithName(note, "begun");
    await client.images.generate({ model: "local-image", prompt: "a fox" }).catch((error) => {
      throw Object.assign(error, { maybeProcessed: true });
    });
    await writeWithName(note + "-done", "done");
  };
  const service = world.service("shop", () => world.intend("order 1", buy).catch(() => {}).then(() => {}));
  await service.ended;
}
    export { failure, report, repaired };