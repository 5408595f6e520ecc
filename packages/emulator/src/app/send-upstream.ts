import type { Route } from "../api/exchange.js";
import type { Services } from "../api/services.js";
import type { Answer } from "../http/answer.js";
import { type FormBody, isForm } from "../http/read-form-body.js";
import { isRecord } from "../json/is-record.js";
import type { UpstreamRequest } from "../upstream/upstream.js";
import type { ObservedRequest } from "./observe-request.js";

/**
 * Sends a request on that the emulator itself cannot serve: for a model that it does not have, or a task that it did not
 * make. Undefined where there is nobody to send it to, or no need.
 */
export async function sendUpstream(
  services: Services,
  route: Route,
  body: unknown,
  parameters: Record<string, string>,
  { request, url, path, entry, text, signal }: ObservedRequest,
): Promise<Answer | undefined> {
  const { upstream } = services;
  if (upstream === undefined || !isForeign(services, route, body, parameters)) return undefined;
  entry.why = [
    ...(entry.why ?? []),
    `The emulator does not serve it: it was sent on to ${upstream.baseURL}.`,
  ];
  return upstream.send({
    method: request.method,
    path: path + url.search,
    accept: request.headers.get("accept"),
    ...(isForm(request)
      ? await encodeForm(body as FormBody)
      : // As it came: numbers that a parser rounds arrive as they were written.
        { contentType: text === undefined ? null : "application/json", body: text }),
    signal,
  });
}

function isForeign(
  { models, tasks }: Services,
  route: Route,
  body: unknown,
  { task_id: id }: Record<string, string>,
): boolean {
  if (route.method === "POST") {
    const model = isRecord(body) ? (body["model"] ?? body["model_name"]) : undefined;
    return typeof model === "string" && models.find(model) === undefined;
  }
  return id !== undefined && !tasks.list().some((task) => task.id === id || task.externalId === id);
}

/** A form as it travels: it has a boundary of its own each time. */
async function encodeForm(form: FormBody): Promise<Pick<UpstreamRequest, "contentType" | "body">> {
  const data = new FormData();
  for (const [name, value] of Object.entries(form))
    for (const each of [value].flat()) data.append(name, each);
  const encoded = new Response(data);
  return {
    contentType: encoded.headers.get("content-type"),
    body: new Uint8Array(await encoded.arrayBuffer()),
  };
}
