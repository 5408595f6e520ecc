import { randomUUID } from "node:crypto";
import type { Exchange, Route } from "../api/exchange.js";
import { Field } from "../checks/field.js";
import { createEmbeddings, embeddingInputTexts } from "../embeddings/create-embeddings.js";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import { isRecord } from "../json/is-record.js";
import { bailianTaskBody, newBailianTaskBody } from "../videos/bailian-task-body.js";
import { checkBailianVideo } from "./check-bailian-video.js";
import { findNativeTask } from "./find-native-task.js";
import { listBailianTasks } from "./list-bailian-tasks.js";
import { startNativeTask } from "./start-native-task.js";

const MODELS = ["content-video", "image2video", "omni-video"] as const;

const createsVideo = {
  method: "POST",
  handle: createTask,
  promptTexts: (body) => [promptText(body)],
  createsTask: true,
} satisfies Partial<Route>;

/** Where clients of Bailian look for videos, their tasks, and embeddings. */
export const bailianRoutes: readonly Route[] = [
  { ...createsVideo, path: "/api/v1/services/aigc/video-generation/video-synthesis" },
  { ...createsVideo, path: "/api/v1/services/aigc/image2video/video-synthesis" },
  { method: "GET", path: "/api/v1/tasks", handle: listBailianTasks },
  // As its documentation writes it.
  { method: "GET", path: "/api/v1/tasks/", handle: listBailianTasks },
  { method: "GET", path: "/api/v1/tasks/:task_id", handle: retrieveTask },
  { method: "POST", path: "/api/v1/tasks/:task_id/cancel", handle: cancelTask, hasBody: false },
  {
    method: "POST",
    path: "/api/v1/services/embeddings/text-embedding/text-embedding",
    handle: createTextEmbeddings,
    promptTexts: (body) => embeddingInputTexts({ input: textsOf(body) }),
  },
];

function createTask(exchange: Exchange): Answer {
  if (exchange.request.headers.get("x-dashscope-async") !== "enable") {
    throw new APIError(
      "current user api does not support synchronous calls; send X-DashScope-Async: enable.",
      { status: 403, code: "synchronous_call" },
    );
  }
  const field = Field.body(exchange.body);
  const model = field.get("model").nonEmptyString() ?? "";
  const video = checkBailianVideo(field);
  field.finish();
  return Answer.json(newBailianTaskBody(startNativeTask(exchange, model, video, MODELS)));
}

/** A task that is not there is no error: its status is unknown. */
function retrieveTask({ parameters, key, services }: Exchange): Answer {
  const id = parameters["task_id"] ?? "";
  const task = services.tasks.find(undefined, key.key, id);
  if (task) return Answer.json(bailianTaskBody(task, services));
  return Answer.json({ request_id: randomUUID(), output: { task_id: id, task_status: "UNKNOWN" } });
}

function cancelTask(exchange: Exchange): Answer {
  const { id, status } = findNativeTask(exchange);
  if (status !== "queued") {
    throw APIError.badRequest(
      "Failed to cancel the task, please confirm if the task is in PENDING status.",
      "task_is_not_pending",
    );
  }
  // Whoever is called back may take as long as they like.
  void exchange.services.tasks.cancel(id);
  return Answer.json({ request_id: randomUUID() });
}

/** The same vectors as `POST /embeddings`, in Bailian's shape. */
async function createTextEmbeddings(exchange: Exchange): Promise<Answer> {
  const { body } = exchange;
  const model = isRecord(body) ? body["model"] : undefined;
  const parameters = isRecord(body) && isRecord(body["parameters"]) ? body["parameters"] : {};
  const described = { model, input: textsOf(body), dimensions: parameters["dimension"] };
  const answer = await createEmbeddings({ ...exchange, body: described }).text();
  const { data, usage } = JSON.parse(answer) as EmbeddingsAnswer;
  return Answer.json({
    request_id: randomUUID(),
    output: { embeddings: data.map(({ embedding, index }) => ({ embedding, text_index: index })) },
    usage: { total_tokens: usage.total_tokens },
  });
}

interface EmbeddingsAnswer {
  data: { embedding: number[]; index: number }[];
  usage: { total_tokens: number };
}

function textsOf(body: unknown): unknown {
  const input = isRecord(body) ? body["input"] : undefined;
  return isRecord(input) ? input["texts"] : undefined;
}

function promptText(body: unknown): string {
  const input = isRecord(body) ? body["input"] : undefined;
  const prompt = isRecord(input) ? input["prompt"] : undefined;
  return typeof prompt === "string" ? prompt : "";
}
