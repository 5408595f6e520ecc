import type { Readers } from "../checks/read-members.js";
import { FAULT_KINDS, type Fault } from "./fault-store.js";

/** How a fault is read. */
export const FAULT_MEMBERS: Readers<Fault> = {
  kind: (field) => field.oneOf(FAULT_KINDS),
  path: (field) => field.string(),
  model: (field) => field.string(),
  key: (field) => field.string(),
  times: (field) => field.integer({ min: 1 }),
  status: (field) => field.integer(),
  delayMs: (field) => field.integer({ min: 0 }),
};
