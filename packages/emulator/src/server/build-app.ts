import { Hono } from "hono";
import { serveFile } from "../media/serve-file.js";
import { answerRoute, noSuchEndpoint } from "./answer-route.js";
import { BASE_PATHS, type BaseKind } from "./base-kinds.js";
import { observeRequest } from "./observe-request.js";
import { routes } from "./routes.js";
import type { Services } from "./services.js";

/** The web-standard application: every route below each of the four base addresses, and the result files. */
export function buildApp(services: Services): Hono {
  const app = new Hono();
  for (const base of Object.keys(BASE_PATHS) as BaseKind[]) {
    for (const route of routes) {
      if (route.bases && !route.bases.includes(base)) continue;
      app.on(route.method, BASE_PATHS[base] + route.path, (context) =>
        observeRequest(services, context.req.raw, (observed) =>
          answerRoute(services, route, { ...observed, base }, context.req.param()),
        ),
      );
    }
  }
  app.get("/files/:owner/:name", (context) =>
    observeRequest(services, context.req.raw, ({ request, url }) =>
      serveFile(services, request, url, context.req.param()),
    ),
  );
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
