import { readFile } from "node:fs/promises";
import { ModelGateway } from "@model-gateway/core";
import { simulate } from "@model-gateway/emulator/simulation";
import { expect, it } from "vitest";
import { FolderFileStore } from "./folder-file-store.js";

const BYTES = Buffer.from(Uint8Array.from({ length: 3_000 }, (_, index) => (index * 11) % 253));

it("what a folder has kept is there, whole, whenever processes die and the power fails", async () => {
  let powerFailures = 0;
  const { failure, runs } = await simulate({
    runs: 400,
    faults: { refusedByProxy: 0, crash: 0.08, powerFailure: 0.5, diskFull: 0.01, syncFails: 0.01 },
    async app(world) {
      const headers = { etag: `"1"`, "content-length": String(BYTES.length) };
      const url = "https://files.example/film.mp4";
      world.serve("https://files.example", () => new Response(BYTES, { headers }));
      const gateway = new ModelGateway({ apiKey: world.apiKey, baseURL: world.baseURL, fetch: world.fetch });
      let isKept = false;
      const service = world.service("keeper", async () => {
        const store = new FolderFileStore({ directory: world.disk.path("files") });
        for (let turn = 0; turn < 3; turn++) {
          const key = "films/1.mp4";
          if (isKept) expect((await readFile(store.pathOf(key))).equals(BYTES)).toBe(true);
          const { length } = await store.keep(
            (resume) => gateway.download(url, { ...(resume && { resume }) }),
            key,
            {
              origin: "task-1",
            },
          );
          expect(length).toBe(BYTES.length);
          isKept = true;
        }
      });
      await service.ended;
      powerFailures += world.faults.filter(({ name }) => name === "powerFailure").length;
    },
  });
  expect(failure && [failure.violation, ...failure.story].join("\n")).toBeUndefined();
  expect(runs).toBe(400);
  expect(powerFailures).toBeGreaterThan(50);
});
