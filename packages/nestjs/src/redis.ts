export { RedisStreamStore, type RedisStreamStoreOptions } from "@model-gateway/core/redis";
