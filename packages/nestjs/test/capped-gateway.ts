import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A paid create, as the gateway saw it. */
export interface Create {
  /** The prompt of its body. */
  prompt: string;
  /** What was sent as API key. */
  apiKey: string;
  idempotencyKey: string;
  /** Undefined when it was not taken. */
  taskId: string | undefined;
}

/** What becomes of a create: taken where it is undefined; a status refuses it; a function answers by itself. */
export type CreateAnswer =
  | undefined
  | { status: number; body?: object; headers?: Record<string, string> }
  | ((response: ServerResponse, take: () => string) => void);

interface Task {
  apiKey: string;
  prompt: string;
  /** Polls until it succeeds by itself. */
  pollsLeft: number;
  isOver: boolean;
}

/**
 * A gateway that counts open tasks from submission to end, as a limited key does, and knows whose key made each task: what asks for
 * one with another key is refused, and told.
 */
export async function useCappedGateway({ pollsToEnd = Number.POSITIVE_INFINITY } = {}) {
  const tasks = new Map<string, Task>();
  const creates: Create[] = [];
  const foreignReads: string[] = [];
  const polled = new Set<string>();
  const asked = new Set<string>();
  let mostOpen = 0;
  let polls = pollsToEnd;
  let answer: (create: Create) => CreateAnswer = () => undefined;

  const isOpen = ({ isOver }: Task) => !isOver;
  const openTasks = () => [...tasks.values()].filter(isOpen);
  const open = () => openTasks().length;
  const take = (create: Create) => {
    const id = `task-${tasks.size + 1}`;
    create.taskId = id;
    tasks.set(id, { apiKey: create.apiKey, prompt: create.prompt, pollsLeft: polls, isOver: false });
    mostOpen = Math.max(mostOpen, open());
    return id;
  };
  type Reply = (body: object, status?: number, headers?: Record<string, string>) => void;
  let baseURL = "";
  /** A file, for the key that made its task. */
  function serve(id: string, apiKey: string, response: ServerResponse): void {
    const isOwn = tasks.get(id)?.apiKey === apiKey;
    if (!isOwn) foreignReads.push(`file of ${id} with ${apiKey}`);
    response.writeHead(isOwn ? 200 : 401, { "content-type": "video/mp4" }).end(isOwn ? id : "");
  }
  function read(id: string, apiKey: string, json: Reply): void {
    const task = tasks.get(id);
    asked.add(id);
    if (task === undefined) {
      json({ error: { message: "no such task" } }, 404);
      return;
    }
    if (task.apiKey !== apiKey) {
      foreignReads.push(`${id} with ${apiKey}`);
      json({ error: { message: "not yours" } }, 401);
      return;
    }
    polled.add(id);
    task.pollsLeft -= 1;
    if (task.pollsLeft <= 0) task.isOver = true;
    json({ id, status: task.isOver ? "succeeded" : "running", video_url: `${baseURL}/files/${id}` });
  }
  const server = createServer((request, response) => {
    const { url = "", method, headers } = request;
    const apiKey = headers.authorization?.replace("Bearer ", "") ?? "";
    const json = (body: object, status = 200, more: Record<string, string> = {}) =>
      response.writeHead(status, { "content-type": "application/json", ...more }).end(JSON.stringify(body));
    if (method === "POST") {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { content } = JSON.parse(Buffer.concat(chunks).toString()) as {
          content: Array<{ text: string }>;
        };
        const create: Create = {
          prompt: content[0]?.text ?? "",
          apiKey,
          idempotencyKey: String(headers["idempotency-key"]),
          taskId: undefined,
        };
        creates.push(create);
        const outcome = answer(create);
        if (typeof outcome === "function") outcome(response, () => take(create));
        else if (outcome !== undefined)
          json(outcome.body ?? { error: { message: "no" } }, outcome.status, outcome.headers);
        else json({ id: take(create), status: "queued" });
      });
    } else if (url.startsWith("/v1/files/")) serve(url.slice("/v1/files/".length), apiKey, response);
    else read(url.slice("/v1/videos/".length), apiKey, json);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    connection: { apiKey: "house-key", baseURL },
    creates,
    foreignReads,
    open,
    /** Tasks that are over. */
    ended: () => tasks.size - open(),
    /** Ids of the tasks that somebody read. */
    polled,
    /** Ids that somebody asked for, whether there was such a task or not. */
    asked,
    /** The most that were ever open at once. */
    mostOpen: () => mostOpen,
    taken: () => creates.filter(({ taskId }) => taskId !== undefined),
    idOf: (prompt: string) => creates.find((create) => create.prompt === prompt && create.taskId)?.taskId,
    /** Ends open tasks: the next poll of each sees it. */
    end(count = Number.POSITIVE_INFINITY) {
      for (const task of openTasks().slice(0, count)) task.isOver = true;
    },
    /** Each task from now on, and each that is open, ends after so many polls. */
    endAfter(count: number) {
      polls = count;
      for (const task of openTasks()) task.pollsLeft = count;
    },
    answerWith(next: (create: Create) => CreateAnswer) {
      answer = next;
    },
  };
}

/** A body whose prompt names it. */
export function filmOf(prompt: string) {
  return { model: "some-video-model", content: [{ type: "text" as const, text: prompt }] };
}
