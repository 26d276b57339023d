import { type Application, createApplication, HTTPError, media, Type } from '@waymark/server';

/** The secrets of the two callers: one may do everything, the other has no more than what reaches MCP. */
export const operatorKey = 'operator-key-of-the-test';
export const clerkKey = 'clerk-key-of-the-test-1';

/** What the tool `picture` answers. */
export const png: Uint8Array = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);

/** What the callers find in their lists, in the order of declaration. */
export const toolsOfOperator: readonly string[] = [
  'get_tickets_by_id_summary',
  'get_tickets_by_id',
  'get_tags',
  'get_whoami',
  'ring_bell',
  'open_door',
  'erase_logs',
  'conflict',
  'crash',
  'picture',
  'count',
  'wait',
];
export const toolsOfClerk: readonly string[] = toolsOfOperator.filter(
  (name) => name !== 'ring_bell' && name !== 'erase_logs',
);

/** An application with a tool for everything that a client can meet. */
export function createSupportDesk(): Application {
  const app = createApplication('support', {
    version: '4.5.6',
    description: 'Tickets and a bell.',
    port: 0,
    env: { OPERATOR: operatorKey, CLERK: clerkKey, LOG_LEVEL: 'silent' },
  });
  app.apiKey('OPERATOR', 'operator', { scopes: ['svc:admin', 'bell:ring', 'logs:erase'] });
  app.apiKey('CLERK', 'clerk', { scopes: ['svc:admin'] });
  app.get(
    '/tickets/{id}/summary',
    {
      input: { id: Type.Integer(), style: Type.String({ default: 'short' }) },
      summary: 'Summarise a ticket.',
      tool: true,
    },
    ({ id, style }) => `${style} summary of ${id}`,
  );
  app.get(
    '/tickets/{id}',
    {
      input: { id: Type.Integer() },
      output: Type.Object({ id: Type.Integer(), title: Type.String() }),
      tool: true,
    },
    ({ id }) => ({ id, title: 'Printer' }),
  );
  app.get('/tags', { output: Type.Array(Type.String()), tool: true }, () => ['new', 'urgent']);
  app.get('/whoami', { tool: true }, (_input, { user }) => user);
  app.get('/bell', { toolName: 'ring_bell', scopes: ['bell:ring'], tool: true }, () => ({ rung: true }));
  app.post(
    '/door',
    { input: { seconds: Type.Integer() }, toolName: 'open_door', approval: 'required', tool: true },
    () => ({ open: true }),
  );
  app.delete(
    '/logs',
    { toolName: 'erase_logs', approval: 'required', scopes: ['logs:erase'], tool: true },
    () => ({}),
  );
  app.get('/conflict', { toolName: 'conflict', tool: true }, () => {
    throw new HTTPError(409, 'the ticket is closed');
  });
  app.get('/crash', { toolName: 'crash', tool: true }, () => {
    throw new Error('password is hunter2');
  });
  app.get('/picture', { toolName: 'picture', output: media('image/png'), tool: true }, () => png);
  app.post('/count', { toolName: 'count', tool: true }, async function* () {
    for (const done of [1, 2, 3]) yield { event: 'progress', data: { done, total: 3 } };
    return 'counted';
  });
  // Long enough to be given up by anybody, short enough not to hold up a server that stops.
  app.post('/wait', { toolName: 'wait', tool: true, timeoutMs: 2_000 }, () => new Promise(() => {}));
  app.get('/not-a-tool', () => ({}));
  return app;
}
