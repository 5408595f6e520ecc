import type { Route } from "../api/exchange.js";
import type { Services } from "../api/services.js";
import { addControlRoutes, type ControlSettings } from "../control/add-control-routes.js";
import type { Emulator } from "../emulator.js";
import { allowOrigins } from "../http/allow-origins.js";
import type { Answer } from "../http/answer.js";
import { BASE_KINDS, BASE_PATHS, type BaseKind } from "../http/base-kinds.js";
import { NATIVE_PATHS } from "../native/native-paths.js";
import { LINK_PREFIX } from "../recordings/upstream-links.js";
import { answerRoute, noSuchEndpoint } from "./answer-route.js";
import { observeRequest } from "./observe-request.js";
import { Router } from "./router.js";
import { originRoutes, routes } from "./routes.js";
import { serveFile } from "./serve-file.js";
import { addLinkedFiles, taped } from "./tape-routes.js";

/** What an application is told beside its services. */
export interface AppSettings extends ControlSettings {
  /** Origins of pages that may call the API; `*` for all. The control API is none of theirs. */
  cors: readonly string[];
}

/** Answers a request. @throws what is no answer: a dropped connection, the reason of a client that has gone */
export type App = (request: Request) => Promise<Answer>;

/**
 * The application: every route below each of the four base addresses, the paths of the profile, result files, the
 * control API.
 *
 * @param current the services of the state that is in force: a call stays with those that it began with
 */
export function buildApp(current: () => Services, emulator: Emulator, settings: AppSettings): App {
  const { tape } = current();
  const router = new Router(
    tape
      ? taped(current)
      : (request) =>
          observeRequest(current(), request, ({ url }) => {
            throw noSuchEndpoint(request, url);
          }),
  );
  const native = NATIVE_PATHS[current().profile.tasks];
  const serve = (base: BaseKind, prefix: string, route: Route) => {
    if (route.bases && !route.bases.includes(base)) return;
    router.on(route.method, prefix + route.path, (request, parameters) => {
      const services = current();
      return observeRequest(services, request, (observed) =>
        answerRoute(services, route, { ...observed, base }, parameters),
      );
    });
  };
  for (const route of native.routes) serve("general", "", { ...route, isNative: !isDescribed(route) });
  if (native.base !== undefined) for (const route of routes) serve("general", native.base, route);
  for (const base of BASE_KINDS) {
    for (const route of routes) serve(base, BASE_PATHS[base], route);
    for (const route of originRoutes) serve(base, BASE_PATHS[base].replace(/\/v1$/, ""), route);
  }
  // Nothing is made here while others answer.
  if (!tape) {
    router.on("GET", "/files/:owner/:name", (request, parameters) => {
      const services = current();
      return observeRequest(services, request, ({ url }) => serveFile(services, request, url, parameters));
    });
  }
  addControlRoutes(router, emulator, settings);
  if (tape) addLinkedFiles(router, current, tape);
  const answer = (request: Request) => router.answer(request);
  if (settings.cors.length === 0) return answer;
  const own = [
    ...BASE_KINDS.map((base) => `${BASE_PATHS[base]}/*`),
    ...(native.base === undefined ? [] : [`${native.base}/*`]),
    ...native.routes.map(({ path }) => path),
    ...["/files/*", `${LINK_PREFIX}*`],
  ];
  return withOrigins(answer, own, settings.cors);
}

/** The control API is for no page: only these paths are. */
function withOrigins(answer: App, paths: readonly string[], origins: readonly string[]): App {
  const allow = allowOrigins(origins);
  const pages = new Router(answer);
  for (const path of paths) pages.all(path, (request) => allow(request, () => answer(request)));
  return (request) => pages.answer(request);
}

/** Whether an upstream's route stands in the place of one that the API describes. */
function isDescribed({ method, path }: Route): boolean {
  return routes.some((route) => route.method === method && BASE_PATHS.general + route.path === path);
}
