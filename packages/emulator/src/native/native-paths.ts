import type { Route } from "../api/exchange.js";
import type { ProfileSettings } from "../profiles/profile.js";
import { arkRoutes } from "./ark-routes.js";
import { bailianRoutes } from "./bailian-routes.js";
import { klingRoutes } from "./kling-routes.js";
import { newAPIRoutes } from "./newapi-routes.js";

/** Where the clients of an upstream itself look for it. */
export interface NativePaths {
  /** Its own base address for everything that the API describes, such as `/api/v3`. */
  base?: string;
  /** What it has beside that, by whole paths. They come before what the API describes. */
  routes: readonly Route[];
}

/** The paths of an upstream, which only its own profile serves. */
export const NATIVE_PATHS: Record<ProfileSettings["tasks"], NativePaths> = {
  spec: { routes: [] },
  ark: { base: "/api/v3", routes: arkRoutes },
  kling: { routes: klingRoutes },
  bailian: { base: "/compatible-mode/v1", routes: bailianRoutes },
  newapi: { routes: newAPIRoutes },
};
