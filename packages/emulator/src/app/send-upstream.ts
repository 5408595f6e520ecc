import type { Route } from "../api/exchange.js";
import type { Services } from "../api/services.js";
import { isRecord } from "../json/is-record.js";
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
  { request, url, path, entry, signal }: ObservedRequest,
): Promise<Response | undefined> {
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
    ...(await contentOf(body)),
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

/** A body as it travels: a form has a boundary of its own each time. */
async function contentOf(
  body: unknown,
): Promise<{ contentType: string | null; body: Uint8Array | undefined }> {
  if (body === undefined) return { contentType: null, body: undefined };
  const fields = isRecord(body) ? Object.entries(body) : [];
  if (!fields.some(([, value]) => [value].flat().some((each) => each instanceof File))) {
    return { contentType: "application/json", body: new TextEncoder().encode(JSON.stringify(body)) };
  }
  const form = new FormData();
  for (const [name, value] of fields) {
    for (const each of [value].flat()) form.append(name, each instanceof File ? each : String(each));
  }
  const encoded = new Response(form);
  return {
    contentType: encoded.headers.get("content-type"),
    body: new Uint8Array(await encoded.arrayBuffer()),
  };
}
