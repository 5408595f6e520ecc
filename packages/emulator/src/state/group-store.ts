import type { Field } from "../checks/field.js";
import { collectMembers } from "../checks/read-members.js";
import type { ChangeLog, PartChanges } from "../persistence/change-log.js";
import type { KeptEntry } from "../persistence/kept-entry.js";
import type { KeptStore } from "../persistence/kept-store.js";
import { loadPart } from "../persistence/load-part.js";
import type { ModelStore } from "./model-store.js";
import { MODEL_GROUPS, type ModelEntry } from "./model-table.js";
import { GROUP_MEMBERS } from "./read-group.js";
import { Refusal } from "./refusal.js";

/** A token group: it decides which models its keys may call. */
export interface EmulatorGroup {
  name: string;
  /** What people are told of it. */
  description?: string;
  /** A cost level such as `1x`; it is shown and changes no price. */
  rateLabel?: string;
  /** The ids of its models. */
  models: string[];
}

const DESCRIPTIONS: Record<(typeof MODEL_GROUPS)[number], string> = {
  default: "Every model, over stable routes.",
  auto: "Every model, over whichever route the platform picks.",
  image_video: "Image and video models.",
};

const PART = "groups";

/** The token groups: three that are always there, and those that were added. */
export class GroupStore implements KeptStore {
  private readonly groups = new Map<string, EmulatorGroup>();
  private readonly models: ModelStore;
  private readonly changes: PartChanges | undefined;

  constructor(models: ModelStore, changes?: ChangeLog) {
    this.models = models;
    this.changes = changes?.of(PART);
  }

  /** Adds a group. @throws TypeError when it exists, has no name, or lists a model that the emulator does not serve */
  add(group: EmulatorGroup): void {
    if (this.has(group.name)) {
      throw new Refusal(`The token group "${group.name}" exists; use groups.update.`);
    }
    this.store(group);
  }

  /** Changes a group that was added. @throws TypeError when there is no such group, or it is built in */
  update(name: string, changes: Partial<Omit<EmulatorGroup, "name">>): void {
    this.store({ ...this.requireOwn(name), ...changes, name });
  }

  /** Deletes a group that was added; returns whether it existed. @throws TypeError when it is built in */
  remove(name: string): boolean {
    if (this.has(name)) this.requireOwn(name);
    this.changes?.delete(name);
    return this.groups.delete(name);
  }

  list(): EmulatorGroup[] {
    return [...this.builtIn(), ...[...this.groups.values()].map((group) => structuredClone(group))];
  }

  has(name: string): boolean {
    return isBuiltIn(name) || this.groups.has(name);
  }

  /** The models of a group, in the order of the table. */
  modelsOf(name: string): ModelEntry[] {
    const entries = this.models.entries();
    if (isBuiltIn(name)) return entries.filter(({ groups }) => groups.includes(name));
    const ids = this.groups.get(name)?.models ?? [];
    return entries.filter(({ id }) => ids.includes(id));
  }

  *save(): Iterable<KeptEntry> {
    for (const [key, value] of this.groups) yield { part: PART, key, value };
  }

  load(state: Field): void {
    const vital = ["name", "models"] as const;
    const read = (entry: Field) =>
      collectMembers(entry, GROUP_MEMBERS, { vital, complete: true }) as EmulatorGroup;
    loadPart(state, PART, read, (group) => this.add(group));
  }

  private requireOwn(name: string): EmulatorGroup {
    if (isBuiltIn(name)) {
      throw new Refusal(`The token group "${name}" is built in and stays as it is; add one of your own.`);
    }
    const group = this.groups.get(name);
    if (!group) throw Refusal.missing(`There is no token group "${name}"; use groups.add.`);
    return group;
  }

  private builtIn(): EmulatorGroup[] {
    return MODEL_GROUPS.map((name) => ({
      name,
      description: DESCRIPTIONS[name],
      models: this.modelsOf(name).map(({ id }) => id),
    }));
  }

  private store(group: EmulatorGroup): void {
    if (group.name.trim() === "") throw new Refusal("The name of a token group must not be empty.");
    this.models.requireKnown(group.models);
    const kept = structuredClone(group);
    this.groups.set(group.name, kept);
    this.changes?.set(group.name, () => kept);
  }
}

/** Whether a token group is always there. */
export function isBuiltIn(name: string): name is (typeof MODEL_GROUPS)[number] {
  return MODEL_GROUPS.some((group) => group === name);
}
