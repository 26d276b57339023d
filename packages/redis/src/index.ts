export { createRedisBackend, type RedisBackendOptions } from './redis-backend.ts';
