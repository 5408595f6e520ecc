import type { Exchange, Route } from "../api/exchange.js";
import type { Services } from "../api/services.js";
import { abortableDelay } from "../http/abortable-delay.js";
import type { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import type { BaseKind } from "../http/base-kinds.js";
import { paceStream } from "../http/pace-stream.js";
import { isForm, readFormBody } from "../http/read-form-body.js";
import { readJSONBody } from "../http/read-json-body.js";
import { abridge } from "../json/abridge.js";
import { isRecord } from "../json/is-record.js";
import { markersIn, readPromptMarkers } from "../language/prompt-markers.js";
import { withStreamHabits } from "../profiles/stream-habits.js";
import { tolerate } from "../profiles/tolerate.js";
import { Bill } from "../state/bill.js";
import { faultAfter, faultBefore, statusFaultError } from "./fault-response.js";
import type { ObservedRequest } from "./observe-request.js";
import { readSentBody, type SentBody } from "./read-sent-body.js";
import { findScriptedAnswer } from "./scripted-answer.js";
import { sendUpstream } from "./send-upstream.js";
import { tapedPath } from "./taped-path.js";

/** Whose streams have the habits of a route. */
const CHAT_PATH = "/chat/completions";

/** Authentication, rate, body, faults, prompt markers, latency and the bill around an endpoint of the API. */
export async function answerRoute(
  services: Services,
  route: Route,
  observed: ObservedRequest & { base: BaseKind },
  parameters: Record<string, string>,
): Promise<Answer> {
  const { request, url, path, base, token, entry, signal } = observed;
  // The router also sends HEAD to the GET routes; the API has none.
  if (route.method !== request.method) throw noSuchEndpoint(request, url);

  const key = services.keys.authenticate(observed.authorization);
  try {
    services.rates.take(key);
  } finally {
    Object.assign(observed.headers, services.rates.headersOf(key));
  }
  const { tape } = services;
  let body: unknown;
  let sent: SentBody | undefined;
  if (tape || (route.method === "POST" && route.hasBody !== false)) {
    if (tape) sent = await readSentBody(observed);
    body = sent
      ? sent.body
      : isFormBody(route, request)
        ? await readForm(observed)
        : await readJSON(observed);
    if (services.journal.bodies !== "none") entry.body = abridge(body);
    const model = isRecord(body) ? (body["model"] ?? body["model_name"]) : undefined;
    if (typeof model === "string") entry.model = model;
  }

  const fault = services.faults.take({ path, model: entry.model, key: token });
  const finish = async (answer: Answer, { isOwn = true } = {}) => {
    const answered = fault ? await faultAfter(fault, answer, signal) : answer;
    const hasHabits = isOwn && route.path === CHAT_PATH;
    const shaped = hasHabits ? withStreamHabits(answered, services.profile) : answered;
    return paceStream(shaped, services.pace, services.seed);
  };
  const explain = (...lines: string[]) => {
    entry.why = [...(entry.why ?? []), ...lines];
  };
  if (fault) explain(`The fault ${fault.id} (${fault.kind}) is in force.`);
  const replacement = fault && (await faultBefore(fault, signal));
  if (replacement) return replacement;
  // They are for the models of the emulator itself.
  if (!tape) await obeyMarkers(route, body, { signal, explain });
  if (services.latency.responseMs > 0) await abortableDelay(services.latency.responseMs, signal);

  const script = await findScriptedAnswer(services, route, body, observed);
  if (entry.reply !== undefined) explain(`${entry.reply} is for it.`);
  if (script.whole) return finish(script.whole);
  const isScripted = script.exchange?.scripted !== undefined;
  const sentOn =
    tape && sent && !isScripted
      ? await tape.answer({
          ...{ ...sent, method: request.method, path: tapedPath(url), query: url.searchParams },
          ...{ origin: url.origin, token, signal, explain },
          contentType: request.headers.get("content-type"),
          accept: request.headers.get("accept"),
        })
      : route.isNative || isScripted
        ? undefined
        : await sendUpstream(services, route, body, parameters, observed);
  // A stream of somebody else's has habits of its own, and its pieces are no events.
  if (sentOn) return finish(sentOn, { isOwn: false });
  const models = services.keys.modelsOf(key, base);
  const deniedModels = services.keys.deniedModelsOf(key);
  const bill = new Bill(services.ledger, services.models, { key, endpoint: route.path, requestId: entry.id });
  const exchange: Exchange = {
    request,
    url,
    parameters,
    key,
    models,
    deniedModels,
    body: services.profile.requests === "tolerant" ? tolerated(services, route, body) : body,
    services,
    bill,
    signal,
    explain,
    ...script.exchange,
  };
  let response: Answer;
  try {
    response = await route.handle(exchange);
    bill.settle();
  } finally {
    bill.drop();
    if (bill.charged !== undefined) entry.units = bill.charged;
  }
  return finish(response);
}

function tolerated({ models }: Services, route: Route, body: unknown): unknown {
  const model = isRecord(body) ? body["model"] : undefined;
  return tolerate(route.path, body, typeof model === "string" ? models.find(model)?.capability : undefined);
}

function isFormBody({ multipart }: Route, request: Request): boolean {
  return multipart === "also" ? isForm(request) : multipart === true;
}

function readJSON(observed: ObservedRequest): Promise<unknown> {
  const onText = (text: string) => {
    observed.text = text;
    observed.recording?.sentText(text);
  };
  return readJSONBody(observed.request, { onText });
}

async function readForm({ request, recording }: ObservedRequest): Promise<unknown> {
  const form = await readFormBody(request);
  recording?.sentForm(form);
  return form;
}

/** 404 for a path, or a method on a path, that the API does not have. */
export function noSuchEndpoint(request: Request, url: URL): APIError {
  return APIError.notFound(
    `There is no ${request.method} ${url.pathname}. Base addresses end in /v1; GET /v1/models is a good first call.`,
  );
}

async function obeyMarkers(
  route: Route,
  body: unknown,
  { signal, explain }: Pick<Exchange, "signal" | "explain">,
): Promise<void> {
  if (!route.promptTexts) return;
  const found = route.promptTexts(body).map(markersIn).join("");
  if (found === "") return;
  explain(`The prompt holds ${found}.`);
  const markers = readPromptMarkers(found);
  if (markers.delayMs > 0) await abortableDelay(markers.delayMs, signal);
  if (markers.status !== undefined) throw statusFaultError(markers.status, "A marker in the prompt");
  if (route.createsTask) return;
  if (markers.fail) throw statusFaultError(500, "The marker [[fail]] in the prompt");
  if (markers.stuck) await untilAborted(signal);
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
