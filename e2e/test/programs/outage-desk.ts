/** An application for `waymark start` that stores rows and runs. */
import { createApplication, Type } from '@waymark/server';

const { DATABASE: file = '' } = process.env;

export const application = createApplication('outage-desk', { database: `sqlite://${file}` })
  .apiKey('DESK_KEY', 'desk', { scopes: ['use', 'svc:admin'] })
  .rateLimit(10_000, { burst: 10_000 })
  .resource('notes', { text: 'string' }, { tools: true, scopes: ['use'] })
  .get(
    '/wait',
    { tool: true, toolName: 'wait', scopes: ['use'], input: { ms: Type.Integer() } },
    ({ ms }) =>
      new Promise<string>((resolve) => {
        setTimeout(() => resolve('waited'), ms);
      }),
  )
  .behaviour(
    'errand',
    { tools: ['wait', 'create_notes'], input: { ms: Type.Integer() }, scopes: ['use'] },
    async (ctx, { ms }) => {
      await ctx.call('wait', { ms });
      await ctx.call('create_notes', { text: 'of a run' });
      return 'done';
    },
  );
