import { createAuthenticate } from '@waymark/auth';
import { createRouteTable } from '@waymark/contract';
import { createDispatcher, createIds } from '@waymark/core-routes';
import { createDoor, createLog, type Door } from '@waymark/http';
import { waymarkRoutes } from './waymark-routes.ts';

/** The door of the API with every default on, and the log: for a server of somebody else's. */
export function waymarkDoor(): Door {
  const log = createLog({ level: 'info' });
  return createDoor({
    dispatcher: createDispatcher(createRouteTable(waymarkRoutes()).freeze(), { log }),
    authenticate: createAuthenticate([], () => undefined),
    newId: createIds(),
    log,
  });
}
