export { type Child, compileProgram, type Program, startChild } from "./child.js";
export { freePort } from "./free-port.js";
export { hasRedis, hasRedisServer, type Redis, RedisServer, useRedis } from "./redis-server.js";
export { type RouteHandlers, type RouteServer, serveRoutes } from "./serve-routes.js";
