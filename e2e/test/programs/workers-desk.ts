/** An application for several processes of `waymark start`: whatever one of them answers, the others know. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApplication, HTTPError, Type } from '@waymark/server';

const application = createApplication('workers-desk', {
  database: `sqlite://${process.env['DATABASE']}`,
  requestTimeout: 20,
});

application
  .apiKey('DESK_KEY', 'desk', { scopes: ['svc:admin', 'devices:ingest', 'devices:read'] })
  .apiKey('GUEST_KEY', 'guest')
  .resource('tickets', { title: 'string' }, { tools: true });

// Who answers, and what it may do.
application.get('/pid', () => process.pid);
application.get(
  '/owner-pid',
  { placement: 'owner', tool: true, summary: 'Tell the owner.' },
  () => process.pid,
);
application.get('/secret', { placement: 'owner', scopes: ['svc:admin'] }, (_, request) => request.user);
application.post('/fail', () => {
  throw new HTTPError(409, 'as asked');
});
application.post('/slow', { placement: 'owner' }, async () => {
  await new Promise((resolve) => setTimeout(resolve, 300));
  return 'done';
});

application.post('/stray', () => {
  setTimeout(() => {
    throw new Error('it was left behind');
  });
  return process.pid;
});

// Waits until it is let go, and says that it was asked.
const { GATE: gate = '' } = process.env;
const letGo = async (name: string): Promise<void> => {
  writeFileSync(join(gate, `asked-${name}`), '');
  while (!existsSync(join(gate, 'go'))) await new Promise((resolve) => setTimeout(resolve, 10));
};
const held = { input: { name: Type.String() } };
for (const [path, placement] of [
  ['/held', 'owner'],
  ['/held-here', 'any'],
] as const)
  application.get(path, { ...held, placement }, async ({ name }) => {
    await letGo(name);
    return name;
  });
application.get('/lines', { ...held, placement: 'owner' }, ({ name }) => {
  const encoder = new TextEncoder();
  return ReadableStream.from(
    (async function* () {
      yield encoder.encode('first,');
      await letGo(name);
      yield encoder.encode('last');
    })(),
  );
});

application.camera('door', { maxFps: 1_000 });
application.behaviour('count', { exposeScopes: [], tools: ['create_tickets'] }, async (context) => {
  await context.call('create_tickets', { title: 'counted' });
  return 'counted';
});

if (process.env['LIMITED'] === 'yes') application.rateLimit(0.001, { burst: 10 });

export { application };
