import { join } from "node:path";
import type { Latency, Services } from "./api/services.js";
import { buildApp } from "./app/build-app.js";
import { type Listener, listen } from "./app/listen.js";
import { CONSOLE_FOLDER } from "./control/console-page.js";
import type { AllowedCallers } from "./control/require-local-caller.js";
import { createState } from "./create-state.js";
import type { Emulator } from "./emulator.js";
import { type EmulatorOptions, type SettledOptions, settleOptions } from "./emulator-options.js";
import type { Answer } from "./http/answer.js";
import { BASE_PATHS } from "./http/base-kinds.js";
import { isOpenToOthers, originAt, requireOrigin } from "./http/listen-address.js";
import { StateKeeper } from "./keeper/state-keeper.js";
import type { MediaRenderer } from "./media/media-renderer.js";
import { MediaRendererLease } from "./media/media-renderer-lease.js";
import { settleProfile } from "./profiles/profile.js";
import { Recorder } from "./recordings/recorder.js";
import { Replayer } from "./recordings/replayer.js";
import type { Tape } from "./recordings/tape.js";
import { isBuiltIn } from "./state/group-store.js";
import { maskKey } from "./state/key-store.js";
import { bodyOf, describeCall } from "./state/recorded-call.js";
import { Refusal } from "./state/refusal.js";
import { ReplyFunctions } from "./state/reply-functions.js";
import { Upstream } from "./upstream/upstream.js";
import { taskBody } from "./videos/task-body.js";

/** What stands in for parts of an emulator. */
interface EmulatorParts {
  media?: Partial<MediaRenderer>;
  consoleFolder?: string;
  /** Default true. */
  threads?: boolean;
}

/** Where requests go that need no port. The top-level domain is reserved: it never leaves the machine. */
const PORTLESS_ORIGIN = "http://emulator.localhost";

/**
 * Creates a gateway that runs in this process: models that answer usefully, real bookkeeping, a clock that can
 * be moved and failures on demand.
 *
 * @example
 * ```ts
 * const emulator = await createEmulator({ seed: 1 }).listen({ port: 0 });
 * const response = await fetch(`${emulator.url}/models`, { headers: { authorization: "Bearer sk-emulator" } });
 * await emulator.close();
 * ```
 * @throws TypeError for an option out of range
 */
export function createEmulator(
  options: EmulatorOptions = {},
  { media, consoleFolder = CONSOLE_FOLDER, threads = true }: EmulatorParts = {},
): Emulator {
  const settled = settleOptions(options);
  const { seed, latency, pace, dataDir, chatImageForm } = settled;
  const closing = new AbortController();
  const upstream = settled.upstream && new Upstream(settled.upstream);
  const tape = tapeOf(settled, upstream);
  const shared = {
    seed,
    latency: latencyOf(latency),
    profile: settleProfile(settled.profile),
    pace,
    chatImageForm,
    upstream,
    tape,
    unmatched: settled.unmatched,
    threads,
    media: media === undefined ? new MediaRendererLease() : MediaRendererLease.of(media),
    openExchanges: new Set<AbortController>(),
  };
  const stateSettings = {
    options: settled,
    shared,
    mediaFolder: dataDir === undefined ? undefined : join(dataDir, "media"),
    functions: new ReplyFunctions(settled.replies),
    closing: closing.signal,
  };
  const keeper = new StateKeeper({
    dataDir,
    initial: settled.state,
    create: (origin) => createState(stateSettings, origin),
  });
  /** Of the state that is in force now. */
  const services = (): Services => keeper.current.services;
  const serve = async (request: Request): Promise<Answer> => {
    try {
      return await app(request);
    } finally {
      // What was answered is kept.
      keeper.flush();
    }
  };
  let listener: Listener | undefined;
  let origin = PORTLESS_ORIGIN;
  let callers: AllowedCallers = { addresses: false };

  const emulator: Emulator = {
    get url() {
      return origin + BASE_PATHS.general;
    },
    get urls() {
      return {
        general: origin + BASE_PATHS.general,
        cdn: origin + BASE_PATHS.cdn,
        specialized: origin + BASE_PATHS.specialized,
        specializedCdn: origin + BASE_PATHS.specializedCdn,
      };
    },
    async fetch(input, init) {
      const request = new Request(input, init);
      request.signal.throwIfAborted();
      if (closing.signal.aborted) throw new TypeError("fetch failed", { cause: closing.signal.reason });
      try {
        return (await serve(request)).toResponse();
      } catch (error) {
        if (request.signal.aborted) throw request.signal.reason;
        // What the platform's fetch throws when the network fails.
        throw new TypeError("fetch failed", { cause: error });
      }
    },
    async listen({ port = 0, host = "127.0.0.1", advertise } = {}) {
      closing.signal.throwIfAborted();
      if (listener) throw new Error(`The emulator already listens on ${origin}.`);
      const advertised = advertise === undefined ? undefined : requireOrigin("advertise", advertise);
      listener = await listen(serve, port, host);
      origin = advertised ?? originAt(host, listener.port);
      callers = { advertised: new URL(origin).hostname, addresses: isOpenToOthers(host) };
      return emulator;
    },
    async close() {
      const reason = new Error("The emulator was closed.");
      closing.abort(reason);
      keeper.current.leave();
      await listener?.close();
      listener = undefined;
      for (const exchange of shared.openExchanges) exchange.abort(reason);
      keeper.close();
      services().journal.close();
      await shared.media.release();
      await tape?.close();
    },
    reset() {
      keeper.reset();
      tape?.reset();
    },
    state: {
      export: () => keeper.export(),
      import: (state) => keeper.import(state),
    },
    snapshots: {
      save: (name) => keeper.saveSnapshot(name),
      restore: (name) => keeper.restoreSnapshot(name),
      list: () => keeper.listSnapshots(),
      remove: (name) => keeper.removeSnapshot(name),
    },
    clock: {
      now: () => services().clock.now(),
      set: (ms) => services().clock.set(ms),
      advance: (ms) => services().clock.advance(ms),
      nextAt: () => services().clock.nextAt(),
    },
    keys: {
      add: (key) => services().keys.add(key),
      update: (key, changes) => services().keys.update(key, changes),
      remove: (key) => services().keys.remove(key),
      list: () => services().keys.list(),
    },
    groups: {
      add: (group) => services().groups.add(group),
      update: (name, changes) => services().groups.update(name, changes),
      remove: (name) => {
        const user = services()
          .keys.list()
          .find(({ group }) => group === name);
        if (user) {
          throw new Refusal(
            `The token group "${name}" is that of the key ${maskKey(user.key)}; change or remove the key first.`,
          );
        }
        return services().groups.remove(name);
      },
      list: () => services().groups.list(),
    },
    models: {
      add: (model) => services().models.add(model),
      remove: (id) => {
        const group = services()
          .groups.list()
          .find((each) => each.models.includes(id) && !isBuiltIn(each.name));
        const key = services()
          .keys.list()
          .find((each) => each.models?.includes(id));
        const user = group ? `token group "${group.name}"` : key && `key ${maskKey(key.key)}`;
        if (user) throw new Refusal(`The ${user} has the model "${id}"; take it from there first.`);
        return services().models.remove(id);
      },
      list: () => services().models.list(),
    },
    ledger: {
      list: (filter) => services().ledger.list(filter),
      total: (key) => services().ledger.total(key),
    },
    journal: {
      list: (filter) => services().journal.list(filter),
      get: (id) => {
        const exchange = services().journal.exchange(id);
        const entry =
          exchange &&
          services()
            .journal.list()
            .find((each) => each.id === id);
        return entry && describeCall(entry, exchange);
      },
      bytes: (id) => {
        const exchange = services().journal.exchange(id);
        return exchange && !exchange.dropped ? bodyOf(exchange) : undefined;
      },
      subscribe: (listener) => services().journal.subscribe(listener),
      clear: () => services().journal.clear(),
    },
    faults: {
      add: (fault) => services().faults.add(fault),
      list: () => services().faults.list(),
      clear: (id) => services().faults.clear(id),
    },
    replies: {
      add: (rule) => services().replies.add(rule),
      list: () => services().replies.list(),
      clear: (id) => services().replies.clear(id),
    },
    recordings: {
      list: () => tape?.list() ?? [],
      unused: () => tape?.list().filter(({ used }) => !used) ?? [],
      use: (group) => {
        if (!tape)
          throw new Refusal("Nothing is recorded or replayed: the emulator was created for neither.");
        tape.use(group);
      },
      about: () => tape?.description,
    },
    videos: {
      list: (filter) =>
        services()
          .tasks.list(filter)
          .map((task) => ({ id: task.id, ...taskBody(task, services()) })),
      succeed: (id) => services().tasks.succeed(id),
      fail: (id, message) => services().tasks.fail(id, message),
      timeline: (id) => services().tasks.timeline(id),
    },
    callbacks: {
      list: (filter) => services().callbacks.list(filter),
      resend: (id) => services().callbacks.resend(id),
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  };
  const app = buildApp(services, emulator, { cors: settled.cors, callers: () => callers, consoleFolder });
  return emulator;
}

function tapeOf(
  { record, replay, upstream: options }: Pick<SettledOptions, "record" | "replay" | "upstream">,
  upstream: Upstream | undefined,
): Tape | undefined {
  if (replay) return new Replayer(replay);
  return record && upstream && new Recorder(record, upstream, options?.apiKey);
}

/** One number serves both: a stream whose every event took as long as the first would be unusable. */
function latencyOf(ms: number): Latency {
  return { responseMs: ms, chunkMs: ms / 10 };
}
