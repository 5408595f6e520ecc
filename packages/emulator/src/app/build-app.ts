import { Hono } from "hono";
import type { Route } from "../api/exchange.js";
import type { Services } from "../api/services.js";
import { addControlRoutes } from "../control/add-control-routes.js";
import type { Emulator } from "../emulator.js";
import { BASE_KINDS, BASE_PATHS, type BaseKind } from "../http/base-kinds.js";
import { answerRoute, noSuchEndpoint } from "./answer-route.js";
import { observeRequest } from "./observe-request.js";
import { originRoutes, routes } from "./routes.js";
import { serveFile } from "./serve-file.js";

/** The web-standard application: every route below each of the four base addresses, result files, the control API. */
export function buildApp(services: Services, emulator: Emulator): Hono {
  const app = new Hono();
  const serve = (base: BaseKind, prefix: string, route: Route) => {
    if (route.bases && !route.bases.includes(base)) return;
    app.on(route.method, prefix + route.path, (context) =>
      observeRequest(services, context.req.raw, (observed) =>
        answerRoute(services, route, { ...observed, base }, context.req.param()),
      ),
    );
  };
  for (const base of BASE_KINDS) {
    for (const route of routes) serve(base, BASE_PATHS[base], route);
    for (const route of originRoutes) serve(base, BASE_PATHS[base].replace(/\/v1$/, ""), route);
  }
  app.get("/files/:owner/:name", (context) =>
    observeRequest(services, context.req.raw, ({ request, url }) =>
      serveFile(services, request, url, context.req.param()),
    ),
  );
  addControlRoutes(app, emulator);
  app.notFound((context) =>
    observeRequest(services, context.req.raw, ({ request, url }) => {
      throw noSuchEndpoint(request, url);
    }),
  );
  app.onError((error) => {
    // What is no response (a dropped connection, a client that has gone) is the caller's to handle.
    throw error;
  });
  return app;
}
