import type { IncomingMessage } from 'node:http';
import type { RouteTable } from '@waymark/contract';
import type { Log } from '@waymark/contract/engine';
import type { Door } from '@waymark/http';

/** What the place of a middleware is compared with. */
interface Mount {
  readonly table: RouteTable;
  readonly mountPath: string;
  readonly log: Log;
}

/**
 * Says once, in the log, that express has the middleware at another path than `mountPath`: node brings upgrades past
 * express, so that no socket would be found.
 */
export function noticeMount(
  middleware: Door['middleware'],
  { table, mountPath, log }: Mount,
): Door['middleware'] {
  if (![...table].some(({ engine }) => engine.accept)) return middleware;
  let told = false;
  return (req, res, next) => {
    const { baseUrl } = req as IncomingMessage & { readonly baseUrl?: unknown };
    if (!told && typeof baseUrl === 'string' && baseUrl.toLowerCase() !== mountPath.toLowerCase()) {
      told = true;
      const fix = `write mountPath: ${JSON.stringify(baseUrl)}`;
      log('warn', 'the middleware is mounted elsewhere than mountPath says: its sockets are not found', {
        fix,
      });
    }
    middleware(req, res, next);
  };
}
