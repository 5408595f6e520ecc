export { hasRedis, hasRedisServer, type Redis, RedisServer, useRedis } from "@model-gateway/test-servers";
