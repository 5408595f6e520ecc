import { type JSONObject, readCode, readNumber, readObject, readText } from "../json/read-json-value.js";
import type { VideoTaskHandle } from "../tasks/video-task-handle.js";
import type { TaskForm } from "./video-families.js";
import { isTerminal, readStatusWord } from "./video-status.js";
import type { VideoFile, VideoTask } from "./video-types.js";

/**
 * Reads a task from any of the shapes that routes send: the fields of the API description at the top level, in
 * `data` or in `output`, an upstream's own task inside `data`, or one or two levels below that.
 */
export function readVideoTask(body: unknown, handle: VideoTaskHandle): VideoTask {
  const layers = layersOf(body);
  const rawStatus = firstText(layers, ["task_status", "status"]);
  const status = readStatusWord(rawStatus);
  const videos = findVideos(layers);
  return dropUndefined({
    handle,
    id: handle.id,
    family: handle.family,
    status,
    rawStatus,
    progress: readProgress(first(layers, (layer) => layer["progress"])),
    videos,
    lastFrameURL: first(
      layers,
      (layer) => url(layer["last_frame_url"]) ?? url(readObject(layer["content"])?.["last_frame_url"]),
    ),
    error: isTerminal(status) && status !== "succeeded" ? findError(layers) : undefined,
    usage: first(layers, (layer) => layer["usage"] ?? undefined),
    createdAt: readCreatedAt(layers) ?? handle.createdAt,
    raw: body,
  });
}

/** The id of a new task: `id` in the flat form, `task_id` in the wrapped one, at the top level, in `data` or `output`. */
export function readTaskId(body: unknown, form: TaskForm): string | undefined {
  return firstText(layersOf(body), TASK_ID_FIELDS[form]);
}

/** What names a task in each form, and what may stand in for it. */
export const TASK_ID_FIELDS: Record<TaskForm, readonly string[]> = {
  flat: ["id", "task_id"],
  wrapped: ["task_id", "id"],
};

/** Layers from the most to the least specific: what lies inside `data` says more than the envelope around it. */
export function layersOf(body: unknown): JSONObject[] {
  const top = readObject(body);
  const data = readObject(top?.["data"]);
  const inner = readObject(data?.["data"]);
  const innermost = readObject(inner?.["data"]);
  return [
    data,
    readObject(top?.["output"]),
    readObject(data?.["output"]),
    top,
    inner,
    readObject(inner?.["output"]),
    innermost,
    readObject(innermost?.["output"]),
  ].filter((layer) => layer !== undefined);
}

/** In milliseconds since the epoch. */
export function readCreatedAt(layers: readonly JSONObject[]): number | undefined {
  return first(layers, (layer) => readTime(layer["created_at"] ?? layer["created"]));
}

/** The first of the names that holds text or a number, in the first layer that has one. */
export function firstText(layers: readonly JSONObject[], names: readonly string[]): string | undefined {
  return first(layers, (layer) => {
    for (const name of names) {
      const found = readCode(layer[name]);
      if (found !== undefined) return found;
    }
    return undefined;
  });
}

function findVideos(layers: readonly JSONObject[]): VideoFile[] {
  for (const layer of layers) {
    const listed = readObject(layer["task_result"])?.["videos"] ?? layer["videos"];
    const files = Array.isArray(listed) ? listed.map(readFile).filter((file) => file !== undefined) : [];
    if (files.length > 0) return files;
  }
  const watermarkURL = first(layers, (layer) => url(layer["watermark_video_url"]));
  const found =
    first(layers, (layer) => url(readObject(layer["content"])?.["video_url"]) ?? url(layer["video_url"])) ??
    watermarkURL ??
    first(layers, (layer) => url(readObject(layer["metadata"])?.["url"])) ??
    first(
      layers,
      (layer) => url(layer["result_url"]) ?? url(readObject(layer["video"])?.["url"]) ?? url(layer["url"]),
    ) ??
    // Some routes put the URL of a success into the field for failures.
    first(layers, (layer) => url(layer["fail_reason"]));
  if (found === undefined) return [];
  const durationSeconds = first(layers, (layer) => readNumber(layer["duration"] ?? layer["seconds"]));
  return [dropUndefined({ url: found, watermarkURL, durationSeconds })];
}

function readFile(entry: unknown): VideoFile | undefined {
  const file = typeof entry === "string" ? { url: entry } : readObject(entry);
  const watermarkURL = url(file?.["watermark_url"]) ?? url(file?.["watermark_video_url"]);
  const found = url(file?.["url"]) ?? url(file?.["video_url"]) ?? watermarkURL;
  if (found === undefined) return undefined;
  return dropUndefined({ url: found, watermarkURL, durationSeconds: readNumber(file?.["duration"]) });
}

function findError(layers: readonly JSONObject[]): VideoTask["error"] {
  for (const layer of layers) {
    const { error } = layer;
    const detail = readObject(error);
    const message =
      readText(detail?.["message"]) ??
      readText(error) ??
      readText(layer["task_status_msg"]) ??
      readText(layer["fail_reason"]) ??
      readText(layer["error_message"]) ??
      readText(layer["message"]);
    // The envelope of a failed task may say that reading it was a success.
    if (message === undefined || url(message) !== undefined || readStatusWord(message) === "succeeded")
      continue;
    return dropUndefined({ code: readCode(detail?.["code"]) ?? readCode(layer["code"]), message });
  }
  return undefined;
}

/** A number, or a percentage such as `"50%"`; anything outside 0 to 100 says nothing. */
function readProgress(value: unknown): number | undefined {
  const number = typeof value === "string" ? Number.parseFloat(value) : value;
  return typeof number === "number" && number >= 0 && number <= 100 ? number : undefined;
}

/** Seconds or milliseconds since the epoch, or a date; in milliseconds. */
function readTime(value: unknown): number | undefined {
  if (typeof value === "string" && !/^\d+$/.test(value)) {
    const date = Date.parse(value);
    return Number.isNaN(date) ? undefined : date;
  }
  const number = readNumber(value);
  if (number === undefined || number <= 0) return undefined;
  // Seconds until the year 5138; milliseconds since 1973.
  return number < 1e11 ? Math.round(number * 1000) : number;
}

function url(value: unknown): string | undefined {
  const address = readText(readObject(value)?.["url"] ?? value)?.trim();
  return address !== undefined && /^(https?:|data:|\/)/i.test(address) ? address : undefined;
}

function first<T>(layers: readonly JSONObject[], read: (layer: JSONObject) => T | undefined): T | undefined {
  for (const layer of layers) {
    const found = read(layer);
    if (found !== undefined && found !== null) return found;
  }
  return undefined;
}

function dropUndefined<T extends object>(value: T): T {
  for (const key of Object.keys(value) as (keyof T)[]) {
    if (value[key] === undefined) delete value[key];
  }
  return value;
}
