import type { SimulationOptions, World } from "@model-gateway/emulator/simulation";
import { aiSdk } from "./scenarios/ai-sdk.js";
import { BUDGET_INVARIANTS, coreBudget } from "./scenarios/core-budget.js";
import { coreCalls } from "./scenarios/core-calls.js";
import { coreIngest } from "./scenarios/core-ingest.js";
import { coreStreams } from "./scenarios/core-streams.js";
import { keptFiles } from "./scenarios/kept-files.js";
import { langchainAgent } from "./scenarios/langchain-agent.js";
import { nestFilms } from "./scenarios/nest-films.js";
import { nestReplicas, placesOf } from "./scenarios/nest-replicas.js";
import { nestVideos } from "./scenarios/nest-videos.js";
import { resumableStreams } from "./scenarios/resumable-streams.js";

const HOUR_MS = 3_600_000;

/** What fails is the disk and its power, so that much of it meets. */
const FAILING_DISK: Pick<SimulationOptions, "faults" | "maxFaults"> = {
  maxFaults: 20,
  faults: {
    ...{ refuse: 0, resetBefore: 0, resetAfter: 0, cut: 0, refusedByProxy: 0, replacedByProxy: 0, delay: 0 },
    ...{ crash: 0.05, powerFailure: 0.9, diskFull: 0.1, syncFails: 0.06 },
  },
};

/** What is simulated, by name. */
export const SCENARIOS: Record<string, SimulationOptions> = {
  "core-calls": { app: coreCalls },
  "core-ingest": { app: coreIngest, maxVirtualMs: HOUR_MS },
  "core-budget": { app: coreBudget, maxVirtualMs: HOUR_MS, invariants: BUDGET_INVARIANTS },
  "core-streams": { app: coreStreams },
  "resumable-streams": { app: resumableStreams, maxVirtualMs: HOUR_MS },
  "ai-sdk": { app: aiSdk },
  "langchain-agent": { app: langchainAgent },
  "kept-files": {
    ...{ app: keptFiles, maxVirtualMs: HOUR_MS },
    // Whoever knows what it should be looks whether a page is a film: a store keeps what it is sent.
    faults: { refusedByProxy: 0, replacedByProxy: 0, crash: 0.04 },
  },
  "nest-replicas": {
    ...{ app: nestReplicas, maxVirtualMs: HOUR_MS },
    invariants: { "no more films are open than there are places": overcrowded },
  },
  "nest-films": { app: nestFilms, maxVirtualMs: HOUR_MS },
  "nest-videos": { app: nestVideos, maxVirtualMs: HOUR_MS },
  "failing-disk": { app: nestVideos, maxVirtualMs: HOUR_MS, ...FAILING_DISK },
  "failing-disk-files": { app: keptFiles, maxVirtualMs: HOUR_MS, ...FAILING_DISK },
};

const OPEN = new Set(["queued", "running"]);

/** Asked of the gateway, whatever the store believes. */
function overcrowded(world: World): string | undefined {
  const places = placesOf(world);
  if (places === undefined) return undefined;
  const { length } = world.emulator.videos
    .list()
    .filter((video) => "status" in video && OPEN.has(video.status));
  return length > places ? `${length} films are open, and there are ${places} places` : undefined;
}
