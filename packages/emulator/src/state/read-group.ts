import { type Readers, readStrings } from "../checks/read-members.js";
import type { EmulatorGroup } from "./group-store.js";

/** How the members of a token group are read that may change. */
export const GROUP_CHANGES: Readers<Omit<EmulatorGroup, "name">> = {
  description: (field) => field.string(),
  rateLabel: (field) => field.string(),
  models: readStrings,
};

/** How a token group is read. */
export const GROUP_MEMBERS: Readers<EmulatorGroup> = {
  name: (field) => field.nonEmptyString(),
  ...GROUP_CHANGES,
};
