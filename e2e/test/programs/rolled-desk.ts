import { createApplication, Type } from '@waymark/server';

const calls = { tool: true, scopes: ['use'] } as const;

/** Two releases of an application, for `waymark start`: the newer one, RELEASE=new, has a flow and two behaviours more. */
export const application = createApplication('rolled', { database: `sqlite://${process.env['DATABASE']}` })
  .apiKey('DESK_KEY', 'desk', { scopes: ['use', 'svc:admin'] })
  .post(
    '/refunds',
    {
      ...calls,
      toolName: 'refund',
      summary: 'Pays back.',
      input: { order: Type.Integer() },
      approval: 'required',
    },
    ({ order }) => ({ order }),
  )
  .post(
    '/notes',
    { ...calls, toolName: 'note', summary: 'Notes, when GATE lets it.', idempotent: true },
    async () => (await fetch(process.env['GATE'] ?? '')).text(),
  )
  .get('/owner-pid', { placement: 'owner', summary: 'Tells the owner.' }, () => process.pid);

if (process.env['RELEASE'] === 'new') {
  application.flow('new_flow', {
    pipeline: ['refund'],
    description: 'New.',
    inputSchema: { order: Type.Integer() },
    scopes: ['use'],
  });
  for (const name of ['new_work', 'new_task'])
    application.behaviour(name, { tools: ['note'], scopes: ['use'], description: 'New.' }, async (ctx) => [
      await ctx.call('note'),
      await ctx.call('note'),
    ]);
}
