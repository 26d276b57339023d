import { DeclarationError } from '@waymark/contract';
import type { Log } from '@waymark/contract/engine';
import type { DeviceHubOptions } from '@waymark/device-hub';
import type { RedisLimits } from '@waymark/redis';
import type { Declarations } from '../declaring/declarations.ts';
import { hubRedisProblems } from '../options/check-settings.ts';
import type { Settings } from '../options/settings.ts';

/** What instances share over Redis is loaded where the settings name one, and by nobody else. */
type Load = () => Promise<Pick<typeof import('@waymark/redis'), 'createRedisBackend' | 'createRedisLimits'>>;

const loadPackage: Load = () => import('@waymark/redis');

/** The backend that shares devices. */
export function hubOverRedis(
  { name, settings }: Pick<Declarations, 'name' | 'settings'>,
  load: Load = loadPackage,
): Pick<DeviceHubOptions, 'backend'> {
  const { hubRedis: url } = settings;
  if (url === undefined) return {};
  return {
    backend: async (keep) => {
      const { createRedisBackend } = await load().catch((error: unknown) => explain(error, settings));
      return createRedisBackend({ url, prefix: prefixOf(name), keep, refused: refusedBy(settings) });
    },
  };
}

/** Opens the rate limit that instances share, where there is a limit. @throws {DeclarationError} Redis refuses who comes */
export async function rateOverRedis(
  { name, settings, policies: { rateLimit } }: Pick<Declarations, 'name' | 'settings' | 'policies'>,
  log: Log,
  load: Load = loadPackage,
): Promise<RedisLimits | undefined> {
  const { hubRedis: url } = settings;
  if (url === undefined || !rateLimit) return undefined;
  const { createRedisLimits } = await load().catch((error: unknown) => explain(error, settings));
  const { perSecond = 50, burst = 100 } = rateLimit;
  const limits = createRedisLimits({
    ...{ url, perSecond, burst },
    ...{ prefix: prefixOf(name), refused: refusedBy(settings) },
  });
  await limits.open(log);
  return limits;
}

/** Services of one name are instances of one. */
function prefixOf(name: string): string {
  return `waymark:${name}`;
}

/** What Redis refuses stands where its URL is named. */
function refusedBy(settings: Settings): (rule: string, fix: string) => Error {
  return (rule, fix) => new DeclarationError(hubRedisProblems(settings, rule, fix));
}

function explain(error: unknown, settings: Settings): never {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  throw new DeclarationError(
    hubRedisProblems(settings, 'the hub over Redis is not installed', 'npm install @waymark/redis'),
  );
}
