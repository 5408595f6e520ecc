/** What needs `ioredis`: `@model-gateway/core/redis`. */
export { RedisBudgetStore, type RedisBudgetStoreOptions } from "./redis/redis-budget-store.js";
export { RedisEmbeddingCache, type RedisEmbeddingCacheOptions } from "./redis/redis-embedding-cache.js";
export { RedisStreamStore, type RedisStreamStoreOptions } from "./redis/redis-stream-store.js";
