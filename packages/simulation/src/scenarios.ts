import type { SimulationOptions } from "@model-gateway/emulator/simulation";
import { aiSdk } from "./scenarios/ai-sdk.js";
import { coreCalls } from "./scenarios/core-calls.js";
import { coreIngest } from "./scenarios/core-ingest.js";
import { coreStreams } from "./scenarios/core-streams.js";
import { langchainAgent } from "./scenarios/langchain-agent.js";
import { nestFilms } from "./scenarios/nest-films.js";
import { nestVideos } from "./scenarios/nest-videos.js";

const HOUR_MS = 3_600_000;

/** What is simulated, by name. */
export const SCENARIOS: Record<string, SimulationOptions> = {
  "core-calls": { app: coreCalls },
  "core-ingest": { app: coreIngest, maxVirtualMs: HOUR_MS },
  "core-streams": { app: coreStreams },
  "ai-sdk": { app: aiSdk },
  "langchain-agent": { app: langchainAgent },
  "nest-films": { app: nestFilms, maxVirtualMs: HOUR_MS },
  "nest-videos": { app: nestVideos, maxVirtualMs: HOUR_MS },
};
