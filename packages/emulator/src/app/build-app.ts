import { Hono } from "hono";
import { cors } from "hono/cors";
import type { Route } from "../api/exchange.js";
import type { Services } from "../api/services.js";
import { addControlRoutes, type ControlSettings } from "../control/add-control-routes.js";
import type { Emulator } from "../emulator.js";
import { BASE_KINDS, BASE_PATHS, type BaseKind } from "../http/base-kinds.js";
import { NATIVE_PATHS } from "../native/native-paths.js";
import { LINK_PREFIX } from "../recordings/upstream-links.js";
import { answerRoute, noSuchEndpoint } from "./answer-route.js";
import { observeRequest } from "./observe-request.js";
import { originRoutes, routes } from "./routes.js";
import { serveFile } from "./serve-file.js";
import { addTapeRoutes } from "./tape-routes.js";

/** What an application is told beside its services. */
export interface AppSettings extends ControlSettings {
  /** Origins of pages that may call the API; `*` for all. The control API is none of theirs. */
  cors: readonly string[];
}

/** What pages may read of an answer. */
const EXPOSED_HEADERS = [
  ...["x-request-id", "retry-after", "x-ratelimit-limit-requests", "x-ratelimit-remaining-requests"],
  ...["x-ratelimit-reset-requests", "content-length", "content-range", "accept-ranges"],
];

/**
 * The web-standard application: every route below each of the four base addresses, the paths of the profile, result
 * files, the control API.
 *
 * @param current the services of the state that is in force: a call stays with those that it began with
 */
export function buildApp(current: () => Services, emulator: Emulator, settings: AppSettings): Hono {
  const app = new Hono();
  const native = NATIVE_PATHS[current().profile.tasks];
  if (settings.cors.length > 0) {
    const origin = settings.cors.includes("*") ? "*" : [...settings.cors];
    const allow = cors({ origin, exposeHeaders: EXPOSED_HEADERS, maxAge: 600 });
    const bases = BASE_KINDS.map((base) => `${BASE_PATHS[base]}/*`);
    const own = [
      ...(native.base === undefined ? [] : [`${native.base}/*`]),
      ...native.routes.map(({ path }) => path),
    ];
    for (const path of [...bases, ...own, "/files/*", `${LINK_PREFIX}*`]) app.use(path, allow);
  }
  const serve = (base: BaseKind, prefix: string, route: Route) => {
    if (route.bases && !route.bases.includes(base)) return;
    app.on(route.method, prefix + route.path, (context) => {
      const services = current();
      return observeRequest(services, context.req.raw, (observed) =>
        answerRoute(services, route, { ...observed, base }, context.req.param()),
      );
    });
  };
  for (const route of native.routes) serve("general", "", { ...route, isNative: !isDescribed(route) });
  if (native.base !== undefined) for (const route of routes) serve("general", native.base, route);
  for (const base of BASE_KINDS) {
    for (const route of routes) serve(base, BASE_PATHS[base], route);
    for (const route of originRoutes) serve(base, BASE_PATHS[base].replace(/\/v1$/, ""), route);
  }
  const { tape } = current();
  // Nothing is made here while others answer.
  if (!tape) {
    app.get("/files/:owner/:name", (context) => {
      const services = current();
      return observeRequest(services, context.req.raw, ({ request, url }) =>
        serveFile(services, request, url, context.req.param()),
      );
    });
  }
  addControlRoutes(app, emulator, settings);
  if (tape) addTapeRoutes(app, current, tape);
  else {
    app.notFound((context) =>
      observeRequest(current(), context.req.raw, ({ request, url }) => {
        throw noSuchEndpoint(request, url);
      }),
    );
  }
  app.onError((error) => {
    // What is no response (a dropped connection, a client that has gone) is the caller's to handle.
    throw error;
  });
  return app;
}

/** Whether an upstream's route stands in the place of one that the API describes. */
function isDescribed({ method, path }: Route): boolean {
  return routes.some((route) => route.method === method && BASE_PATHS.general + route.path === path);
}
