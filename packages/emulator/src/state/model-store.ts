import type { Field } from "../checks/field.js";
import { collectMembers } from "../checks/read-members.js";
import type { ChangeLog, PartChanges } from "../persistence/change-log.js";
import type { KeptEntry } from "../persistence/kept-entry.js";
import type { KeptStore } from "../persistence/kept-store.js";
import { loadPart } from "../persistence/load-part.js";
import type { CountedUsage } from "./ledger.js";
import { costOf, type ModelPrice, modelPrices } from "./model-prices.js";
import { type ModelCapability, type ModelEntry, type ModelGroup, modelTable } from "./model-table.js";
import { MODEL_MEMBERS } from "./read-model.js";
import { Refusal } from "./refusal.js";

/** A model id of one's own, such as `gpt-4o`. */
export interface EmulatorModel {
  /** What clients ask for. */
  id: string;
  /** The model that answers: one of the emulator's, or one that was added before. Its groups are this one's too. */
  like: string;
  /** What it costs. Default: what the model costs that it is like. */
  price?: ModelPrice;
}

/** A model as the emulator serves it. */
export interface ServedModel {
  id: string;
  /** Of one that was added. */
  like?: string;
  /** What it does, which decides its endpoint. */
  serves: ModelCapability;
  /** The built-in token groups that have it. */
  groups: readonly ModelGroup[];
  price: ModelPrice;
}

interface StoredModel {
  entry: ModelEntry;
  like?: string;
  /** The built-in model that answers in the end, whatever became of those between. */
  root: string;
  price: ModelPrice;
}

/** A model of one's own as it is kept. */
type SavedModel = Required<EmulatorModel> & { root: string };

const COUNTED = ["inputTokens", "outputTokens", "videoTokens", "characters"];

const PART = "models";

/** The models: those that are always there, and those that were added. */
export class ModelStore implements KeptStore {
  private readonly models = new Map<string, StoredModel>();
  private readonly changes: PartChanges | undefined;

  constructor(changes?: ChangeLog) {
    this.changes = changes?.of(PART);
    for (const entry of modelTable)
      this.models.set(entry.id, { entry, root: entry.id, price: modelPrices[entry.id] ?? {} });
  }

  /** @throws TypeError when its id is taken or empty, or there is no model that it could be like, or its price makes no sense */
  add({ id, like, price }: EmulatorModel): void {
    requireFree(this.models, id);
    const known = this.models.get(like);
    if (!known)
      throw new Refusal(`The model "${id}" cannot be like "${like}", which the emulator does not serve.`);
    this.put({ id, like, root: known.root, price: price ?? known.price });
  }

  /** Deletes a model that was added; returns whether it existed. @throws TypeError when it is built in */
  remove(id: string): boolean {
    const model = this.models.get(id);
    if (model && model.like === undefined) throw new Refusal(`The model "${id}" is built in and stays.`);
    this.changes?.delete(id);
    return this.models.delete(id);
  }

  list(): ServedModel[] {
    return [...this.models.values()].map(({ entry, like, price }) => ({
      id: entry.id,
      ...(like !== undefined && { like }),
      serves: entry.capability,
      groups: [...entry.groups],
      price: { ...price },
    }));
  }

  /** What an endpoint has to know of each, in the order of `GET /models`. */
  entries(): ModelEntry[] {
    return [...this.models.values()].map(({ entry }) => entry);
  }

  find(id: string): ModelEntry | undefined {
    return this.models.get(id)?.entry;
  }

  /** The whole units that a call costs. */
  priceOf(id: string, counted: CountedUsage): number {
    return costOf(this.models.get(id)?.price ?? {}, counted);
  }

  /** @throws TypeError for the first id that the emulator does not serve */
  requireKnown(ids: readonly string[]): void {
    const unknown = ids.find((id) => !this.models.has(id));
    if (unknown !== undefined) throw new Refusal(`The emulator serves no model "${unknown}".`);
  }

  *save(): Iterable<KeptEntry> {
    for (const [key, model] of this.models) {
      if (model.like !== undefined) yield { part: PART, key, value: saved(model) };
    }
  }

  load(state: Field): void {
    const members = { ...MODEL_MEMBERS, root: (field: Field) => field.oneOf(modelTable.map(({ id }) => id)) };
    const vital = ["id", "like", "root", "price"] as const;
    const read = (entry: Field) =>
      collectMembers<SavedModel>(entry, members, { vital, complete: true }) as SavedModel;
    loadPart(state, PART, read, (model) => this.put(model));
  }

  private put({ id, like, root, price }: SavedModel): void {
    requireFree(this.models, id);
    const known = this.models.get(root);
    if (!known) throw new Refusal(`There is no built-in model "${root}".`);
    requirePrice(id, price);
    const model = { entry: { ...known.entry, id }, like, root, price: { ...price } };
    this.models.set(id, model);
    this.changes?.set(id, () => saved(model));
  }
}

/** Its price stands there whole: what it is like may be removed, and prices may change. */
function saved({ entry, like = "", root, price }: StoredModel): SavedModel {
  return { id: entry.id, like, root, price };
}

function requireFree(models: ReadonlyMap<string, StoredModel>, id: string): void {
  if (id.trim() === "") throw new Refusal("The id of a model must not be empty.");
  if (models.has(id)) throw new Refusal(`The model "${id}" exists.`);
}

function requirePrice(id: string, price: ModelPrice = {}): void {
  for (const [name, units] of Object.entries(price)) {
    if (!COUNTED.includes(name)) {
      throw new Refusal(`The price of "${id}" is by ${COUNTED.join(", ")}, and not by ${name}.`);
    }
    if (!(Number.isFinite(units) && units >= 0)) {
      throw new Refusal(`${name} in the price of "${id}" must be a number of at least 0 (got ${units}).`);
    }
  }
}
