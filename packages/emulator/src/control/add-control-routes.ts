import { Field } from "../checks/field.js";
import type { Emulator } from "../emulator.js";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import { limitBody } from "../http/limit-body.js";
import { readJSONBody } from "../http/read-json-body.js";
import { Refusal } from "../state/refusal.js";
import { consolePage } from "./console-page.js";
import type { ControlRoute } from "./control-exchange.js";
import { controlRoutes } from "./control-routes.js";
import { type AllowedCallers, requireLocalCaller } from "./require-local-caller.js";

const PREFIX = "/_emulator";

/** What the control API is told beside the emulator. */
export interface ControlSettings {
  /** Who may call it, now. */
  callers: () => AllowedCallers;
  /** Where the files of the console are. */
  consoleFolder: string;
}

type Handler = (request: Request, parameters: Record<string, string>) => Answer | Promise<Answer>;

/** What leads requests to handlers. */
export interface ControlRouter {
  on(method: string, path: string, handler: Handler): void;
  all(path: string, handler: Handler): void;
}

/** Puts the console and the control API below `/_emulator`. Its requests are no traffic of the gateway: they stand in no journal. */
export function addControlRoutes(
  router: ControlRouter,
  emulator: Emulator,
  { callers: allowed, consoleFolder }: ControlSettings,
): void {
  for (const route of controlRoutes) {
    router.on(route.method, PREFIX + route.path, (request, parameters) =>
      answerControl(request, allowed(), (url) => {
        // The router also sends HEAD to the GET routes.
        if (request.method !== route.method) throw noSuchControl(request, url);
        return handle(emulator, route, request, url, parameters);
      }),
    );
  }
  for (const path of [PREFIX, `${PREFIX}/*`]) {
    router.all(path, (request) =>
      answerControl(request, allowed(), async (url) => {
        const page = request.method === "GET" ? await showConsole(consoleFolder, url) : undefined;
        if (page) return page;
        throw noSuchControl(request, url);
      }),
    );
  }
}

/** The console; its files have names relative to its address, which ends in a slash. */
async function showConsole(folder: string, { pathname }: URL): Promise<Answer | undefined> {
  if (pathname !== PREFIX) return consolePage(folder, pathname.slice(PREFIX.length + 1));
  return new Answer(null, { status: 308, headers: { location: `${PREFIX}/` } });
}

async function handle(
  emulator: Emulator,
  route: ControlRoute,
  request: Request,
  url: URL,
  parameters: Record<string, string>,
): Promise<Answer> {
  const limited = route.maxBytes === undefined ? request : limitBody(request, route.maxBytes);
  const body = route.body ? await readJSONBody(limited, { emptyAsObject: route.body === "optional" }) : {};
  const query = Object.fromEntries(url.searchParams);
  return route.handle({ emulator, parameters, query: Field.body(query), body: Field.body(body) });
}

/** The check of the caller and the Error body around whatever answers. */
async function answerControl(
  request: Request,
  allowed: AllowedCallers,
  answer: (url: URL) => Answer | Promise<Answer>,
): Promise<Answer> {
  try {
    const url = new URL(request.url);
    requireLocalCaller(request, url, allowed);
    return await answer(url);
  } catch (error) {
    return asAPIError(error).toAnswer();
  }
}

function asAPIError(error: unknown): APIError {
  if (error instanceof APIError) return error;
  if (error instanceof Refusal) {
    return error.missing ? APIError.notFound(error.message) : APIError.badRequest(error.message);
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new APIError(`The emulator failed: ${reason}`, { status: 500, code: "internal_error" });
}

function noSuchControl(request: Request, url: URL): APIError {
  return APIError.notFound(
    `There is no ${request.method} ${url.pathname} in the control API. GET ${PREFIX}/health is a good first call.`,
  );
}
