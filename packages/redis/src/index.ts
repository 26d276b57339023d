export { createRedisBackend, type RedisBackendOptions } from './redis-backend.ts';
export { createRedisLimits, type RedisLimits, type RedisLimitsOptions } from './redis-limits.ts';
