import { DeclarationError } from '@waymark/contract';
import type { DeviceHubOptions } from '@waymark/device-hub';
import type { Declarations } from '../declaring/declarations.ts';
import { hubRedisProblems } from '../options/check-settings.ts';
import type { Settings } from '../options/settings.ts';

/** The backend that shares devices over Redis, where the settings name one; nobody else loads it. */
export function hubOverRedis(
  { name, settings }: Pick<Declarations, 'name' | 'settings'>,
  load = () => import('@waymark/redis'),
): Pick<DeviceHubOptions, 'backend'> {
  const { hubRedis: url } = settings;
  if (url === undefined) return {};
  return {
    backend: async (keep) => {
      const { createRedisBackend } = await load().catch((error: unknown) => explain(error, settings));
      const refused = (rule: string, fix: string): Error =>
        new DeclarationError(hubRedisProblems(settings, rule, fix));
      return createRedisBackend({ url, prefix: `waymark:${name}`, keep, refused });
    },
  };
}

function explain(error: unknown, settings: Settings): never {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  throw new DeclarationError(
    hubRedisProblems(settings, 'the hub over Redis is not installed', 'npm install @waymark/redis'),
  );
}
