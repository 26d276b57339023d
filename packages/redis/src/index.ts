export { createRedisBackend, type RedisBackendOptions } from './redis-backend.ts';
export { checkRedisUrl, redisRules } from './redis-url.ts';
