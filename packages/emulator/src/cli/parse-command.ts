import { parseArgs } from "node:util";
import { STREAM_PACES, type StreamPace } from "../http/pace-stream.js";
import { PROFILES, type ProfileName } from "../profiles/profile.js";
import type { RecordOptions } from "../recordings/recorder.js";
import type { ReplayOptions } from "../recordings/replayer.js";
import type { EmulatorModel } from "../state/model-store.js";
import type { UpstreamOptions } from "../upstream/upstream.js";

/** What the command line asks for. */
export type Command =
  | {
      name: "start";
      address: { port: number; host?: string; advertise?: string };
      settings: EmulatorSettings;
      files: SettingsFiles;
      /** Where the state is written at the end. */
      exportOnExit?: string;
    }
  | {
      name: "exec";
      command: string;
      commandArguments: string[];
      /** Whether `OPENAI_API_KEY` and `OPENAI_BASE_URL` are set, too. */
      openaiEnvironment: boolean;
      settings: EmulatorSettings;
      files: SettingsFiles;
      /** Where the state is written at the end. */
      exportOnExit?: string;
    }
  | { name: "help" }
  | { name: "version" };

/** Files that hold more settings. */
export interface SettingsFiles {
  /** Scripted answers. */
  replies: string[];
  /** Settings of a profile. */
  profile?: string;
  /** The state to begin with. */
  state?: string;
}

/** The emulator options that the command line can set. */
export interface EmulatorSettings {
  seed?: number;
  latency?: number;
  pace?: StreamPace;
  dataDir?: string;
  models?: EmulatorModel[];
  anyKey?: boolean;
  cors?: string[];
  unmatched?: "refuse";
  upstream?: UpstreamOptions;
  record?: RecordOptions;
  replay?: ReplayOptions;
  profile?: ProfileName;
}

export const DEFAULT_PORT = 4010;
const LARGEST_PORT = 65_535;

const OPTIONS = {
  port: { type: "string" },
  host: { type: "string" },
  advertise: { type: "string" },
  model: { type: "string", multiple: true },
  "any-key": { type: "boolean" },
  "openai-env": { type: "boolean" },
  cors: { type: "string", multiple: true },
  seed: { type: "string" },
  latency: { type: "string" },
  pace: { type: "string" },
  profile: { type: "string" },
  upstream: { type: "string" },
  record: { type: "string" },
  replay: { type: "string" },
  "time-scale": { type: "string" },
  replies: { type: "string", multiple: true },
  "only-replies": { type: "boolean" },
  "data-dir": { type: "string" },
  import: { type: "string" },
  "export-on-exit": { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
} as const;

export const HELP = `Usage: model-gateway-emulator <command> [options]

A local model gateway: no account, no network, no cost.

Commands:
  start                start the gateway and keep it running
  exec -- <command>    start it on a free port, run the command with MODEL_GATEWAY_* set, stop it again

Options:
  --port <number>      port of start; 0 takes any free one (default ${DEFAULT_PORT})
  --host <address>     where start listens (default 127.0.0.1); 0.0.0.0 lets other machines in, to its control API too
  --advertise <url>    where others reach start, such as http://emulator:4010
  --model <id>=<id>    serve a model under another id, such as gpt-4o=local-chat; as often as you like
  --any-key            take any API key
  --openai-env         exec sets OPENAI_API_KEY and OPENAI_BASE_URL too
  --cors <origin>      let pages of this origin call the API, or '*' for all; as often as you like
  --seed <integer>     decides every choice of the local models (default 1)
  --latency <ms>       milliseconds before every answer (default 0)
  --pace <pace>        how streams are written: events (default), whole, bytes, cuts
  --profile <profile>  spec (default); tolerant of what clients send beside what the API describes; ark, kling,
                       bailian or newapi, in the shapes and at the paths of such routes; or a JSON file with settings
  --upstream <url>     a server for models that it does not serve, such as http://127.0.0.1:11434/v1; its own key comes
                       from the variable UPSTREAM_API_KEY
  --record <folder>    sends every call to --upstream, and writes each down there, without secrets
  --replay <folder>    answers every call by what was recorded there, and asks nobody
  --time-scale <n>     how long replaying takes: 0 gives all at once (default), 1 takes as long as it was recorded
  --replies <file>     scripted answers, as YAML or JSON; as often as you like
  --only-replies       refuse what no scripted answer is for
  --data-dir <folder>  keep everything there for the next start, rendered media as files too; for one emulator at a time
  --import <file>      begin with a state that was exported, unless the data folder holds one already
  --export-on-exit <file>
                       write the state there at the end, keys whole
  -h, --help           show this
  -v, --version        show the version

Examples:
  model-gateway-emulator start --port 4010
  model-gateway-emulator start --model gpt-4o=local-chat --any-key
  model-gateway-emulator exec -- npm test
  model-gateway-emulator exec --record recordings --upstream https://gateway.example/v1 -- npm test
  model-gateway-emulator exec --replay recordings -- npm test

Pictures, voices and films, beside it:
  npx -p @model-gateway/emulator -p @model-gateway/emulator-media model-gateway-emulator start
`;

/** A command line that asks for nothing that exists. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Reads the arguments after the program's name. @throws UsageError */
export function parseCommand(argv: readonly string[]): Command {
  const separator = argv.indexOf("--");
  const own = separator < 0 ? argv : argv.slice(0, separator);
  const rest = separator < 0 ? [] : argv.slice(separator + 1);
  const { values, positionals } = parse(own);
  if (values.help) return { name: "help" };
  if (values.version) return { name: "version" };

  const [name, ...extra] = positionals;
  if (name === undefined) throw new UsageError("Say what to do: start, or exec -- <command>.");
  if (name !== "start" && name !== "exec") throw new UsageError(`There is no command "${name}".`);
  if (extra.length > 0) throw new UsageError(`Unexpected argument "${extra[0]}".`);
  if (values.record !== undefined && values.upstream === undefined) {
    throw new UsageError("--record goes with --upstream: the server whose answers are recorded.");
  }
  if (values.replay !== undefined && (values.record ?? values.upstream) !== undefined) {
    throw new UsageError("--replay asks nobody: it goes neither with --record nor with --upstream.");
  }
  if (values["time-scale"] !== undefined && values.replay === undefined) {
    throw new UsageError("--time-scale goes with --replay.");
  }
  const isFile = values.profile?.endsWith(".json") ?? false;
  const settings: EmulatorSettings = {
    seed: integer("--seed", values.seed, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    latency: integer("--latency", values.latency, 0, Number.MAX_SAFE_INTEGER),
    pace: oneOf("--pace", values.pace, STREAM_PACES),
    dataDir: values["data-dir"],
    models: values.model?.map(readModel),
    anyKey: values["any-key"],
    cors: values.cors,
    profile: isFile ? undefined : oneOf("--profile", values.profile, Object.keys(PROFILES) as ProfileName[]),
    ...(values.upstream !== undefined && {
      upstream: { baseURL: values.upstream, apiKey: process.env["UPSTREAM_API_KEY"] },
    }),
    ...(values.record !== undefined && { record: { dir: values.record } }),
    ...(values.replay !== undefined && {
      replay: { dir: values.replay, timeScale: readTimeScale(values["time-scale"]) },
    }),
    ...(values["only-replies"] && { unmatched: "refuse" }),
  };
  const files: SettingsFiles = {
    replies: values.replies ?? [],
    ...(isFile && { profile: values.profile }),
    ...(values.import !== undefined && { state: values.import }),
  };
  const exportOnExit = values["export-on-exit"];

  if (name === "start") {
    if (rest.length > 0) throw new UsageError("start takes no command; use exec -- <command>.");
    if (values["openai-env"]) throw new UsageError("start sets no variables; --openai-env goes with exec.");
    const port = integer("--port", values.port, 0, LARGEST_PORT) ?? DEFAULT_PORT;
    return {
      name,
      address: { port, host: values.host, advertise: values.advertise },
      settings,
      files,
      ...(exportOnExit !== undefined && { exportOnExit }),
    };
  }
  for (const option of ["port", "host", "advertise"] as const) {
    if (values[option] !== undefined) {
      throw new UsageError(`exec takes a free port of this machine; --${option} goes with start.`);
    }
  }
  const [command, ...commandArguments] = rest;
  if (command === undefined) throw new UsageError("exec needs a command: exec -- npm test.");
  return {
    name,
    command,
    commandArguments,
    openaiEnvironment: values["openai-env"] ?? false,
    settings,
    files,
    ...(exportOnExit !== undefined && { exportOnExit }),
  };
}

function readModel(text: string): EmulatorModel {
  const [, id, like] = /^([^=]+)=([^=]+)$/.exec(text) ?? [];
  if (id === undefined || like === undefined) {
    throw new UsageError(`--model takes an id and the model it is like, gpt-4o=local-chat (got "${text}").`);
  }
  return { id, like };
}

function readTimeScale(text = "0"): number {
  const scale = Number(text);
  if (text.trim() === "" || !Number.isFinite(scale) || scale < 0) {
    throw new UsageError(`--time-scale takes a number of at least 0 (got "${text}").`);
  }
  return scale;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function integer(option: string, text: string | undefined, min: number, max: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === "" || !Number.isSafeInteger(value) || value < min || value > max) {
    const range = max === LARGEST_PORT ? ` from ${min} to ${max}` : min === 0 ? " of at least 0" : "";
    throw new UsageError(`${option} takes an integer${range} (got "${text}").`);
  }
  return value;
}

function oneOf<T extends string>(
  option: string,
  text: string | undefined,
  words: readonly T[],
): T | undefined {
  const word = words.find((candidate) => candidate === text);
  if (word === undefined && text !== undefined) {
    throw new UsageError(`${option} takes one of ${words.join(", ")} (got "${text}").`);
  }
  return word;
}
