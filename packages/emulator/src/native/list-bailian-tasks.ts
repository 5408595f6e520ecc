import { randomUUID } from "node:crypto";
import type { Exchange } from "../api/exchange.js";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import { isTerminal, VIDEO_TASK_STATUSES, type VideoTask } from "../tasks/video-task.js";
import { BAILIAN_WORDS } from "../videos/bailian-task-body.js";
import { readPage } from "./read-page.js";

const PAGES = {
  ...{ number: "page_no", size: "page_size", defaultSize: 10 },
  ...{ mostNumber: Number.MAX_SAFE_INTEGER, mostSize: Number.MAX_SAFE_INTEGER },
};
const DAY_MS = 24 * 60 * 60 * 1_000;

/** `GET /api/v1/tasks`: the tasks of the caller within a day, the newest first. */
export function listBailianTasks({ url, key, services }: Exchange): Answer {
  const page = readPage(url, PAGES);
  const { from, until } = readWindow(url, services.clock.now());
  const word = url.searchParams.get("status");
  const status = VIDEO_TASK_STATUSES.find((each) => BAILIAN_WORDS[each] === word);
  if (word !== null && status === undefined) {
    throw APIError.badRequest(`status must be one of ${Object.values(BAILIAN_WORDS).join(", ")}.`);
  }
  const wanted = url.searchParams.get("task_id");
  const found = services.tasks
    .list({ key: key.key, status, model: url.searchParams.get("model_name") ?? undefined })
    .filter(({ createdAt }) => createdAt >= from && createdAt <= until)
    .filter(({ id }) => wanted === null || id === wanted)
    .reverse();
  return Answer.json({
    request_id: randomUUID(),
    data: page.of(found).map(listed),
    ...{ total: found.length, total_page: Math.ceil(found.length / page.size) },
    ...{ page_no: page.number, page_size: page.size },
  });
}

function listed({ id, model, status, createdAt, startedAt, updatedAt }: VideoTask): object {
  return {
    ...{ task_id: id, status: BAILIAN_WORDS[status], model_name: model, request_id: `request_${id}` },
    gmt_create: createdAt,
    ...(startedAt !== undefined && { start_time: startedAt }),
    ...(isTerminal(status) && { end_time: updatedAt }),
    user_api_unique_key: `apikey:v1:aigc:video-generation:video-synthesis:${model}`,
  };
}

/** From `start_time` until `end_time`: where one is missing, a day from the other; the last day where both are. */
function readWindow(url: URL, now: number): { from: number; until: number } {
  const start = readTime(url, "start_time");
  const end = readTime(url, "end_time");
  const until = end ?? (start === undefined ? now : start + DAY_MS);
  const from = start ?? until - DAY_MS;
  if (from <= until && until - from <= DAY_MS) return { from, until };
  throw APIError.badRequest("start_time and end_time must be in order, and no more than 24 hours apart.");
}

/** `YYYYMMDDhhmmss`. */
function readTime(url: URL, name: string): number | undefined {
  const given = url.searchParams.get(name);
  if (given === null || given === "") return undefined;
  const [, date = "", ...time] = /^(\d{8})(\d\d)(\d\d)(\d\d)$/.exec(given) ?? [];
  const day = date.replace(/(\d{4})(\d\d)(\d\d)/, "$1-$2-$3");
  const ms = Date.parse(`${day}T${time.join(":")}Z`);
  if (!Number.isNaN(ms)) return ms;
  throw APIError.badRequest(`${name} must be a time as YYYYMMDDhhmmss (got "${given.slice(0, 60)}").`);
}
