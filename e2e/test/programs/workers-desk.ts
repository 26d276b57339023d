/** An application for several processes of `waymark start`: whatever one of them answers, the others know. */
import { createApplication, HTTPError } from '@waymark/server';

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

application.camera('door', { maxFps: 1_000 });
application.behaviour('count', { exposeScopes: [], tools: ['create_tickets'] }, async (context) => {
  await context.call('create_tickets', { title: 'counted' });
  return 'counted';
});

if (process.env['LIMITED'] === 'yes') application.rateLimit(0.001, { burst: 10 });

export { application };
