import { parseJSON } from "../json/parse-json.js";
import type { VideoFamily, VideoTaskHandle } from "../tasks/video-task-handle.js";
import { firstText, layersOf, readCreatedAt, TASK_ID_FIELDS } from "./read-video-task.js";
import { isTaskId, isVideoFamily, VIDEO_FAMILIES } from "./video-families.js";
import { readStatusWord, type VideoStatus } from "./video-status.js";

/**
 * What a callback says. A hint and no more: callbacks are unsigned, so anybody can send one, and they may come
 * twice or in the wrong order. Poll the task before you act on it.
 */
export interface VideoCallback {
  /** The gateway's id of the task. */
  id?: string;
  /** The caller's own id: `external_task_id` of the create. */
  externalTaskId?: string;
  /** Undefined when the callback shows no difference between families and none was given. */
  family?: VideoFamily;
  /** Ready for `videos.retrieve` and `videos.watch`, once id and family are known. */
  handle?: VideoTaskHandle;
  status?: VideoStatus;
  /** The callback as it came; JSON text is parsed. */
  raw: unknown;
}

/** Options of `videos.readCallback`. */
export interface ReadCallbackOptions {
  /** The family the task was created in, when the callback address tells: most callbacks do not. */
  family?: VideoFamily;
}

type Layers = ReturnType<typeof layersOf>;

/**
 * Reads a callback in any of the known shapes: the status body of the family, its bare `data` object, or either
 * inside an envelope. Never throws: what cannot be read is left out.
 */
export function readVideoCallback(body: unknown, options: ReadCallbackOptions = {}): VideoCallback {
  const raw = parse(body);
  const layers = chooseLayers(raw);
  const family = isVideoFamily(options?.family) ? options.family : guessFamily(layers);
  const id = readId(layers, family);
  const externalTaskId = readExternalId(layers);
  const word = readWord(layers);
  const callback: VideoCallback = { raw };
  if (id !== undefined) callback.id = id;
  if (externalTaskId !== undefined) callback.externalTaskId = externalTaskId;
  if (family !== undefined) callback.family = family;
  if (family !== undefined && isTaskId(id)) {
    const createdAt = readCreatedAt(layers);
    callback.handle = { v: 1, family, id, ...(createdAt === undefined ? {} : { createdAt }) };
  }
  if (word !== undefined) callback.status = readStatusWord(word);
  return callback;
}

function parse(body: unknown): unknown {
  if (typeof body !== "string") return body;
  try {
    return parseJSON(body);
  } catch {
    return body;
  }
}

/** The callback itself or what it wraps, whichever names both a task and its status. */
function chooseLayers(raw: unknown): Layers {
  const own = layersOf(raw);
  const wrapped = typeof raw === "object" && raw !== null ? Object.values(raw).map(layersOf) : [];
  const candidates = [own, ...wrapped];
  return (
    candidates.find((layers) => readId(layers) !== undefined && readWord(layers) !== undefined) ??
    candidates.find((layers) => readId(layers) !== undefined) ??
    own
  );
}

function readId(layers: Layers, family?: VideoFamily): string | undefined {
  return firstText(layers, TASK_ID_FIELDS[family === undefined ? "wrapped" : VIDEO_FAMILIES[family].form]);
}

function readWord(layers: Layers): string | undefined {
  return firstText(layers, ["task_status", "status"]);
}

function readExternalId(layers: Layers): string | undefined {
  const infos = layers.flatMap((layer) => layersOf(layer["task_info"]));
  return firstText([...infos, ...layers], ["external_task_id"]);
}

/** Only the flat form names a task by `id` alone, and only `content` has it; the wrapped families cannot be told apart. */
function guessFamily(layers: Layers): VideoFamily | undefined {
  const other = firstText(layers, ["task_id", "task_status"]);
  return other === undefined && firstText(layers, ["id"]) !== undefined ? "content" : undefined;
}
