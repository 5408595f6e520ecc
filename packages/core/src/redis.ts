/** What needs `ioredis`: `@model-gateway/core/redis`. */
export { RedisStreamStore, type RedisStreamStoreOptions } from "./redis/redis-stream-store.js";
