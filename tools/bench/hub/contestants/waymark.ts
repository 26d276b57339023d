// The hub alone, as anybody embeds it: keys with scopes, the dispatcher, the door and every default of theirs.
import { apiKey, createAuthenticate } from '@waymark/auth';
import { createRouteTable, DeclarationError, defineRoute } from '@waymark/contract';
import { createDispatcher, createHost, createIds, startPlugins } from '@waymark/core-routes';
import { camera, deviceHub } from '@waymark/device-hub';
import { createDoor, createLog, listen } from '@waymark/http';
import { announce } from '../../lib/announce.ts';
import { devices, keys } from '../jobs.ts';

/** Far above what anybody sends here. The defaults are 30 frames a second, and 100 streams and sockets for each caller. */
const maxFps = 1000;
const maxStreams = 1000;

const hub = deviceHub(
  devices.map((name) => camera(name, { maxFps })),
  { maxViewersPerPrincipal: maxStreams },
);
const memory = defineRoute('GET', '/rss', {}, () => process.memoryUsage.rss());
const table = createRouteTable([memory, ...hub.routes]).freeze();
const problems = hub.check?.({ table, env: () => undefined }) ?? [];
if (problems.length > 0) throw new DeclarationError(problems);

const log = createLog({ level: 'warn' });
const dispatcher = createDispatcher(table, { guards: hub.guards ?? [], log });
const credentials = [
  apiKey('INGEST_KEY', 'camera', { scopes: ['devices:ingest'] }),
  apiKey('READ_KEY', 'reader', { scopes: ['devices:read'] }),
];
const secrets: Readonly<Record<string, string>> = { INGEST_KEY: keys.ingest, READ_KEY: keys.read };
const door = createDoor({
  dispatcher,
  authenticate: createAuthenticate(credentials, (name) => secrets[name]),
  newId: createIds(),
  maxSocketsPerCaller: maxStreams,
  log,
});
await startPlugins([hub], createHost({ table, dispatcher, log }));
const { url } = await listen(door, { host: '127.0.0.1', port: 0, shutdownTimeoutMs: 1000 });
announce(url);
