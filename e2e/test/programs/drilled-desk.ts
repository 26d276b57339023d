/**
 * An application with every class of effect and every nesting, for `waymark start`, whose models and effects are at
 * OUTSIDE. EDITION 2 has another prompt, other descriptions and one tool more: what a deployment changes under way.
 */
import { createApplication, HTTPError, type RouteRequest, type ToolError, Type } from '@waymark/server';

const { OUTSIDE: outside = '', DATABASE: place = '', EDITION: edition = '1', LEASE: lease } = process.env;
const database = place.includes('://') ? place : `sqlite://${place}`;
const isLater = edition === '2';

const input = { job: Type.String(), n: Type.Integer() };
const use = { tool: true, scopes: ['use'], input, summary: `Does it, edition ${edition}.` } as const;
const gated = { ...use, approval: 'required' } as const;
const large = 'x'.repeat(20_000);

type Errand = { readonly job: string; readonly n: number };

/** Makes a tool that has an effect on the outside. */
function acting(tool: string) {
  return async ({ job, n }: Errand, { headers }: RouteRequest) => {
    await fetch(`${outside}/effects`, {
      method: 'POST',
      body: JSON.stringify({ tool, job, n, key: headers['idempotency-key'] ?? null }),
    });
    return { done: `${tool} ${n}` };
  };
}

function wordOf(error: unknown): string {
  return (error as ToolError).code ?? 'failed';
}

const every = ['look', 'keyed', 'once', 'create_notes', 'refund', 'sign', 'gift', 'stamp', 'errand'];

export const application = createApplication('drilled', {
  database,
  ...(lease !== undefined && { runs: { lease: Number(lease) } }),
})
  .apiKey('DESK_KEY', 'desk', { scopes: ['use', 'svc:admin'] })
  .apiKey('BOSS_KEY', 'boss', { scopes: ['svc:admin'] })
  .rateLimit(10_000, { burst: 10_000 })
  .provider('simulator', outside, { kind: 'anthropic' })
  .models({ default: 'simulator/claude-opus-5', fast: 'simulator/claude-haiku-4-5' })
  .pricing('default', 5, 25)
  .get('/look', { ...use, toolName: 'look' }, ({ n }) => `seen ${n}`)
  .get('/large', { ...use, toolName: 'large' }, ({ n }) => `${n} ${large}`)
  .put('/keyed', { ...use, toolName: 'keyed' }, acting('keyed'))
  .post('/once', { ...use, toolName: 'once' }, acting('once'))
  .post('/refund', { ...gated, toolName: 'refund' }, acting('refund'))
  .put('/sign', { ...gated, toolName: 'sign' }, acting('sign'))
  .post('/gift', { ...gated, toolName: 'gift', approver: { expiresMs: 1_200 } }, acting('gift'))
  .resource('notes', { job: 'string', n: 'integer' }, { tools: true, scopes: ['use'] })
  .resource('stamps', { job: 'string', n: 'integer' }, { scopes: ['use'] })
  .query('POST', '/stamp', 'insert into stamps (job, n) values (:job, :n)', {
    ...{ params: { job: 'string', n: 'integer' }, returns: 'affected', summary: 'Stamps.' },
    ...{ tool: true, toolName: 'stamp', approval: 'required', scopes: ['use'] },
  })
  .behaviour(
    'errand',
    { tools: every.filter((tool) => tool !== 'errand'), input: { job: Type.String() }, scopes: ['use'] },
    async (ctx, { job }) => {
      const said = await Promise.all([
        ctx.ask(`${job} [[say one]]`),
        ctx.call('keyed', { job, n: 11 }),
        ctx.ask(`${job} [[say two]]`),
        ctx.call('create_notes', { job, n: 11 }),
        ctx.call('look', { job, n: 11 }),
      ]);
      ctx.log(`${said.length} answers`);
      const items = [
        ['refund', { job, n: 11 }],
        ['keyed', { job, n: 12 }],
        ['sign', { job, n: 11 }],
      ] as const;
      await ctx.gather([...items], { returnExceptions: true });
      const once = await ctx.call('once', { job, n: 11 }).catch(wordOf);
      await ctx.call('create_notes', { job, n: 12 });
      return { done: job, once, edition };
    },
  )
  .behaviour(
    'gives_up',
    { tools: ['keyed'], input: { job: Type.String() }, scopes: ['use'] },
    async (ctx, { job }) => {
      await ctx.call('keyed', { job, n: 1 });
      throw new HTTPError(422, `${job} gives up`);
    },
  )
  .behaviour(
    'lengthy',
    { tools: ['large'], input: { job: Type.String() }, scopes: ['use'] },
    async (ctx, { job }) => {
      for (let n = 0; n < 40; n++) await ctx.call('large', { job, n });
      return { done: job };
    },
  )
  .agent('desk', {
    ...{ tools: [...every, ...(isLater ? ['large'] : [])], handoffs: ['clerk'], scopes: ['use'] },
    ...{
      system: `You do what you are told, edition ${edition}.`,
      description: `Does it, edition ${edition}.`,
    },
  })
  .agent('clerk', {
    ...{ tools: ['refund', 'keyed', 'create_notes'], scopes: ['use'], description: 'Pays.' },
    system: `You pay, edition ${edition}.`,
  })
  .agent('courier', { tools: ['errand', 'once'], scopes: ['use'], description: 'Runs errands.' })
  .agent('leaver', { tools: ['look', 'refund', 'create_notes'], scopes: ['use'], description: 'Leaves.' })
  .agent('thrifty', {
    ...{ tools: ['look'], scopes: ['use'], description: 'Has little.', maxSteps: 40 },
    ...{ tokenBudget: 2_500, maxTokens: 300 },
  })
  .flow('delivery', {
    pipeline: [
      { tool: 'keyed', input: { job: '$input.job', n: 1 } },
      { tool: 'courier', input: { input: '$input.text' } },
      { tool: 'create_notes', input: { job: '$input.job', n: 1 } },
    ],
    ...{ inputSchema: { job: Type.String(), text: Type.String() }, scopes: ['use'] },
  })
  .flow('wide', {
    parallel: [
      { tool: 'keyed', input: { job: '$input.job', n: 1 } },
      { tool: 'refund', input: { job: '$input.job', n: 1 } },
      { tool: 'errand', input: { job: '$input.job' } },
      { tool: 'create_notes', input: { job: '$input.job', n: 1 } },
    ],
    ...{ inputSchema: { job: Type.String() }, scopes: ['use'] },
  });
