import { replay, type Scenario } from "@model-gateway/emulator/simulation";
import { videoTaskStoreContract } from "@model-gateway/nestjs/testing";
import { describe, expect, it } from "vitest";
import { NetworkedVideoTaskStore } from "./networked-video-task-store.js";
import { VideoTaskServer } from "./video-task-server.js";

/** Lets one case happen in a world in which nothing goes wrong. */
async function inWorld(app: Scenario): Promise<void> {
  expect((await replay({ app, maxFaults: 0 }, 1)).violation).toBeUndefined();
}

describe("a store of video tasks over the network of a world does what every store must", () => {
  const titles = videoTaskStoreContract(() => Promise.reject(new Error("Only its titles are asked for.")));

  it.each(titles.map(({ title }) => title))("%s", async (title) => {
    await inWorld(async (world) => {
      const server = new VideoTaskServer();
      const close = await server.open(world);
      const contract = videoTaskStoreContract(() => new NetworkedVideoTaskStore(world, server));
      const [found, ...others] = contract.filter((candidate) => candidate.title === title);
      if (found === undefined || others.length > 0) throw new Error(`There is no one case "${title}".`);
      await found.run();
      await close();
    });
  });
});
