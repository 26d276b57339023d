import type { TestProject } from 'vitest/node';
import { findProgram } from './find-program.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of a redis-server, or of Valkey's; empty when the machine has none. */
    redis: string;
  }
}

/**
 * Finds a Redis once for all tests: `inject('redis')`.
 *
 * Looks at `REDIS_SERVER`, then along `PATH`. Without one, tests of several instances are skipped on a developer's machine and
 * the run fails where `REQUIRE_REDIS=1`.
 */
export default function findRedis(project: TestProject): void {
  const path = process.env.REDIS_SERVER ?? findProgram(['redis-server', 'valkey-server']) ?? '';
  if (path === '' && process.env.REQUIRE_REDIS === '1')
    throw new Error('no redis-server: install it or name it in REDIS_SERVER');
  if (path === '') console.warn('no redis-server found: tests of the hub over Redis are skipped');
  project.provide('redis', path);
}
