import type { ModelStore } from "./model-store.js";
import { MODEL_GROUPS, type ModelEntry } from "./model-table.js";
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

/** The token groups: three that are always there, and those that were added. */
export class GroupStore {
  private readonly groups = new Map<string, EmulatorGroup>();
  private readonly initial: readonly EmulatorGroup[];
  private readonly models: ModelStore;

  constructor(initial: readonly EmulatorGroup[], models: ModelStore) {
    this.models = models;
    this.initial = structuredClone([...initial]);
    this.reset();
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

  reset(): void {
    this.groups.clear();
    for (const group of this.initial) this.add(group);
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
    this.groups.set(group.name, structuredClone(group));
  }
}

/** Whether a token group is always there. */
export function isBuiltIn(name: string): name is (typeof MODEL_GROUPS)[number] {
  return MODEL_GROUPS.some((group) => group === name);
}
