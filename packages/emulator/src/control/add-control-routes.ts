import type { Hono } from "hono";
import { Field } from "../checks/field.js";
import type { Emulator } from "../emulator.js";
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

/** Puts the console and the control API below `/_emulator`. Its requests are no traffic of the gateway: they stand in no journal. */
export function addControlRoutes(
  app: Hono,
  emulator: Emulator,
  { callers: allowed, consoleFolder }: ControlSettings,
): void {
  for (const route of controlRoutes) {
    app.on(route.method, PREFIX + route.path, ({ req }) =>
      answerControl(req.raw, allowed(), (url) => {
        // The router also sends HEAD to the GET routes.
        if (req.raw.method !== route.method) throw noSuchControl(req.raw, url);
        return handle(emulator, route, req.raw, url, req.param());
      }),
    );
  }
  for (const path of [PREFIX, `${PREFIX}/*`]) {
    app.all(path, ({ req }) =>
      answerControl(req.raw, allowed(), async (url) => {
        const page = req.raw.method === "GET" ? await showConsole(consoleFolder, url) : undefined;
        if (page) return page;
        throw noSuchControl(req.raw, url);
      }),
    );
  }
}

/** The console; its files have names relative to its address, which ends in a slash. */
async function showConsole(folder: string, { pathname }: URL): Promise<Response | undefined> {
  if (pathname !== PREFIX) return consolePage(folder, pathname.slice(PREFIX.length + 1));
  return new Response(null, { status: 308, headers: { location: `${PREFIX}/` } });
}

async function handle(
  emulator: Emulator,
  route: ControlRoute,
  request: Request,
  url: URL,
  parameters: Record<string, string>,
): Promise<Response> {
  const limited = route.maxBytes === undefined ? request : limitBody(request, route.maxBytes);
  const body = route.body ? await readJSONBody(limited, { emptyAsObject: route.body === "optional" }) : {};
  const query = Object.fromEntries(url.searchParams);
  return route.handle({ emulator, parameters, query: Field.body(query), body: Field.body(body) });
}

/** The check of the caller and the Error body around whatever answers. */
async function answerControl(
  request: Request,
  allowed: AllowedCallers,
  answer: (url: URL) => Response | Promise<Response>,
): Promise<Response> {
  try {
    const url = new URL(request.url);
    requireLocalCaller(request, url, allowed);
    return await answer(url);
  } catch (error) {
    return asAPIError(error).toResponse();
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
