import type { Field } from "../checks/field.js";
import type { KeptEntry } from "./kept-entry.js";

/** A store whose entries outlive the process. What changes of them it tells a `ChangeLog`. */
export interface KeptStore {
  /** All that is kept of it, in order. */
  save(): Iterable<KeptEntry>;
  /** Takes what was saved, into a store that is new. Problems are noted at the fields. */
  load(state: Field): void;
}
