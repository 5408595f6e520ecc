import { Answer } from "../http/answer.js";
import { callbackRoutes } from "./callback-routes.js";
import { clockRoutes } from "./clock-routes.js";
import type { ControlRoute } from "./control-exchange.js";
import { eventRoutes } from "./event-routes.js";
import { faultRoutes } from "./fault-routes.js";
import { groupRoutes } from "./group-routes.js";
import { journalRoutes } from "./journal-routes.js";
import { keyRoutes } from "./key-routes.js";
import { ledgerRoutes } from "./ledger-routes.js";
import { modelRoutes } from "./model-routes.js";
import { recordingRoutes } from "./recording-routes.js";
import { replyRoutes } from "./reply-routes.js";
import { snapshotRoutes } from "./snapshot-routes.js";
import { stateRoutes } from "./state-routes.js";
import { taskRoutes } from "./task-routes.js";

/** The control API: the HTTP twin of what an `Emulator` offers in code. */
export const controlRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/health",
    handle: ({ emulator }) =>
      Answer.json({ status: "ok", now: emulator.clock.now(), baseURLs: emulator.urls }),
  },
  ...stateRoutes,
  ...snapshotRoutes,
  ...keyRoutes,
  ...groupRoutes,
  ...modelRoutes,
  ...clockRoutes,
  ...faultRoutes,
  ...replyRoutes,
  ...recordingRoutes,
  ...journalRoutes,
  ...eventRoutes,
  ...taskRoutes,
  ...callbackRoutes,
  ...ledgerRoutes,
];
