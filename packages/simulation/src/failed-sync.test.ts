import { embeddingKeyOf } from "@model-gateway/core";
import { FileIngestCheckpoint } from "@model-gateway/core/node";
import { replay, type World } from "@model-gateway/emulator/simulation";
import { expect, it } from "vitest";

const KEY = embeddingKeyOf({ model: "m", dimensions: 2 })("a fox");
const VECTOR = Float32Array.of(1, 2);
const QUIET = { crash: 0, diskFull: 0, syncFails: 0.4 };

/** What is known of a vector after so many syncs of its checkpoint failed: at once, and when the power has failed. */
async function afterFailedSyncs(most: number) {
  const seen = { said: new Set<unknown>(), atOnce: new Set<unknown>(), later: new Set<unknown>() };
  for (let seed = 1; seed <= 300; seed++) {
    const app = async (world: World) => {
      const path = world.disk.path("checkpoint");
      const service = world.service("app", async () => {
        const failed = () => world.faults.length;
        const file = new FileIngestCheckpoint(path);
        const before = await file.getMany([KEY]).then(failed, () => undefined);
        if (before !== 0) return;
        const said = await file.setMany([[KEY, VECTOR]]).then(
          () => "kept",
          (error: NodeJS.ErrnoException) => error.code,
        );
        if (failed() !== most) return;
        seen.said.add(said);
        seen.atOnce.add((await file.getMany([KEY]))[0]?.join());
        await file.close();
        world.disk.losePower(world.random("loss"));
        seen.later.add((await new FileIngestCheckpoint(path).getMany([KEY]))[0]?.join());
      });
      await service.ended;
    };
    const { violation } = await replay({ app, maxFaults: most, faults: QUIET }, seed);
    expect(violation).toBeUndefined();
  }
  return seen;
}

it("a vector is written again where a sync failed, and then it lasts", async () => {
  const { said, atOnce, later } = await afterFailedSyncs(1);
  expect([[...said], [...atOnce], [...later]]).toEqual([["kept"], ["1,2"], ["1,2"]]);
});

it("a vector of which the disk takes no note is not said to be there", async () => {
  const { said, atOnce } = await afterFailedSyncs(2);
  expect([[...said], [...atOnce]]).toEqual([["EIO"], [undefined]]);
});
