import type { Services } from "./api/services.js";
import { renderFile } from "./app/render-file.js";
import type { SettledOptions } from "./emulator-options.js";
import type { LiveState, StateOrigin } from "./keeper/state-keeper.js";
import { MediaFiles } from "./media/media-files.js";
import { requireNoCircles } from "./media/require-no-circles.js";
import { Counters } from "./state/counters.js";
import { FaultStore } from "./state/fault-store.js";
import { GroupStore } from "./state/group-store.js";
import { Journal } from "./state/journal.js";
import { KeyStore, WELL_KNOWN_KEY } from "./state/key-store.js";
import { Ledger } from "./state/ledger.js";
import { ModelStore } from "./state/model-store.js";
import { RateWindows } from "./state/rate-windows.js";
import type { ReplyFunctions } from "./state/reply-functions.js";
import { ReplyStore } from "./state/reply-store.js";
import { VirtualClock } from "./state/virtual-clock.js";
import { CallbackLog } from "./tasks/callback-log.js";
import { TaskStore } from "./tasks/task-store.js";
import { isTerminal } from "./tasks/video-task.js";
import { shapesOf } from "./videos/shaped-task.js";

/** The services that are stores of the state. */
type StatefulService =
  | ("clock" | "models" | "groups" | "keys" | "rates" | "ledger" | "journal")
  | ("faults" | "replies" | "tasks" | "callbacks" | "files");

/** What every state of an emulator is made with. */
export interface StateSettings {
  options: Pick<
    SettledOptions,
    "keys" | "anyKey" | "models" | "groups" | "replies" | "journal" | "videoTimings"
  >;
  /** The services that stay when the state is replaced. */
  shared: Omit<Services, StatefulService>;
  /** Where rendered media are kept; in memory only without it. */
  mediaFolder: string | undefined;
  functions: ReplyFunctions;
  /** Aborts when the emulator closes. */
  closing: AbortSignal;
}

/** A state of an emulator, with the services of the calls that are made in it. */
export interface EmulatorLife extends LiveState {
  services: Services;
  enter(previous: EmulatorLife | undefined): void;
}

/**
 * Makes the state that the options describe, or that was saved.
 *
 * @throws APIError that names every member of it which makes no sense, TypeError for options that make none
 */
export function createState(
  settings: StateSettings,
  { saved, complete, changes }: StateOrigin,
): EmulatorLife {
  const { options, shared, mediaFolder: folder, functions, closing } = settings;
  const clock = new VirtualClock(changes);
  const now = () => clock.now();
  const counters = new Counters(changes);
  const models = new ModelStore(changes);
  const groups = new GroupStore(models, changes);
  const keys = new KeyStore({ groups, models, now, anyKey: options.anyKey }, changes);
  const ledger = new Ledger(now, counters, changes);
  const faults = new FaultStore(counters, changes);
  const replies = new ReplyStore(functions, counters, changes);
  const callbacks = new CallbackLog(clock, closing, changes);
  const tasks = new TaskStore(
    clock,
    options.videoTimings,
    (task) => {
      if (isTerminal(task.status) && task.status !== "succeeded") ledger.refund(task.id);
      const { callbackURL } = task.settings;
      if (callbackURL === undefined) return undefined;
      return callbacks.send(task.id, callbackURL, shapesOf(services).called(task, services));
    },
    changes,
  );
  const files = new MediaFiles(clock, { folder, render: (recipe) => renderFile(services, recipe) }, changes);
  const journal = new Journal(options.journal, changes);
  const services: Services = {
    ...shared,
    ...{ clock, models, groups, keys, rates: new RateWindows(now), ledger, journal },
    ...{ faults, replies, tasks, callbacks, files },
  };
  // Each after what it names.
  const stores = [
    clock,
    counters,
    models,
    groups,
    keys,
    ledger,
    faults,
    replies,
    tasks,
    callbacks,
    files,
    journal,
  ];
  try {
    if (saved) {
      for (const store of stores) store.load(saved);
      requireNoCircles(saved.get("files"), ingredientsOf(services));
      saved.finish();
    }
    if (!saved || complete) addOptions(services, options, !saved);
  } catch (error) {
    clock.close();
    throw error;
  }
  return {
    services,
    stores,
    enter(previous) {
      if (previous) journal.replace(previous.services.journal);
      clock.catchUp();
    },
    leave: () => clock.close(),
  };
}

/** What options name is added where it is not there; what is there stays as it was kept. */
function addOptions(
  { models, groups, keys, replies }: Services,
  options: StateSettings["options"],
  isNew: boolean,
): void {
  for (const model of options.models) if (isNew || !models.find(model.id)) models.add(model);
  for (const group of options.groups) if (isNew || !groups.has(group.name)) groups.add(group);
  if (isNew) keys.add({ key: WELL_KNOWN_KEY });
  for (const key of options.keys) {
    if (!keys.has(key.key)) keys.add(key);
    // The well-known key may be given with limits of its own.
    else if (isNew) keys.update(key.key, key);
  }
  replies.provide(options.replies);
}

function* ingredientsOf({ files, tasks }: Services) {
  yield* files.ingredients();
  for (const { id, settings } of tasks.list()) {
    yield { owner: id, inputs: [settings.firstFrame ?? "", settings.lastFrame ?? ""] };
  }
}
