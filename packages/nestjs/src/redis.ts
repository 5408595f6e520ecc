export { RedisStreamStore, type RedisStreamStoreOptions } from "./redis/redis-stream-store.js";
