// The route table behind node:http with everything off that can be: no log, one id for all, no protective headers.
import { createRouteTable } from '@waymark/contract';
import { anonymous } from '@waymark/contract/principal';
import { createDispatcher } from '@waymark/core-routes';
import { createDoor, listen } from '@waymark/http';
import { announce } from '../../lib/announce.ts';
import { manyRoutes } from '../many-routes.ts';
import { waymarkRoutes } from './waymark-routes.ts';

const count = Number(process.argv[2] ?? 0);
const table = createRouteTable([...waymarkRoutes(), ...manyRoutes(count)]).freeze();
const visitor = { ok: true, principal: anonymous() } as const;
const door = createDoor({
  dispatcher: createDispatcher(table),
  authenticate: () => visitor,
  newId: () => '1',
  securityHeaders: { enabled: false },
});
const { url } = await listen(door, { host: '127.0.0.1', port: 0, shutdownTimeoutMs: 1000 });
announce(url);
