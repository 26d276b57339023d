import { defineRoute, type Route, Type, toRoute } from '@waymark/contract';
import type { SqlDatabase } from '@waymark/data';
import type { Stage } from './drivers.ts';

/** One tool of each effect class. What they do to the outside is counted by the key of the step. */
export function effectTools({ world, life }: Stage, database: SqlDatabase): readonly Route[] {
  const effect = async (tool: string, key: string | undefined): Promise<{ done: string }> => {
    await life.point(`before ${tool}`);
    world.happened(`${tool} ${key}`);
    await life.point(`after ${tool}`);
    return { done: tool };
  };
  const input = { n: Type.Optional(Type.Integer()) };
  const plain = { tool: true, input, scopes: ['use'] };
  return [
    defineRoute('GET', '/look', { ...plain, toolName: 'look' }, async ({ n }) => {
      await life.point('look');
      world.happened('look');
      return { seen: n ?? 0, at: world.count('look') };
    }),
    defineRoute('POST', '/once', { ...plain, toolName: 'once' }, (_, { headers }) =>
      effect('once', headers['idempotency-key']),
    ),
    defineRoute('POST', '/fail', { ...plain, toolName: 'fail' }, async (_, { headers }) => {
      await effect('fail', headers['idempotency-key']);
      throw new Error('a bug');
    }),
    defineRoute('PUT', '/keyed', { ...plain, toolName: 'keyed' }, ({ n }, { headers }) => {
      // Under one key the same is asked for each time, or whoever goes by keys is deceived.
      world.give(`keyed by ${headers['idempotency-key']}`, n ?? null);
      return effect('keyed', headers['idempotency-key']);
    }),
    defineRoute('POST', '/refund', { ...plain, toolName: 'refund', approval: 'required' }, (_, { headers }) =>
      effect('refund', headers['idempotency-key']),
    ),
    defineRoute('PUT', '/sign', { ...plain, toolName: 'sign', approval: 'required' }, (_, { headers }) =>
      effect('sign', headers['idempotency-key']),
    ),
    defineRoute(
      'POST',
      '/pay',
      {
        ...plain,
        toolName: 'pay',
        approval: 'required',
        approver: { scope: 'money', fourEyes: true, expiresMs: 5_000 },
      },
      (_, { headers }) => effect('pay', headers['idempotency-key']),
    ),
    toRoute(
      'POST',
      '/row',
      {
        kind: 'resource',
        durability: 'transaction',
        answer: async ({ step }) => {
          await life.point('before row');
          const value = await database.transaction(async (transaction) => {
            await transaction.run('insert into effect (key) values (?)', [step?.key ?? 'none']);
            const result = { ok: true, status: 200, value: { row: step?.key ?? null } } as const;
            await step?.record(result, transaction.handle);
            return result.value;
          });
          await life.point('after row');
          return value;
        },
      },
      { ...plain, toolName: 'row' },
    ),
  ];
}

/** A gated tool that takes an amount when nobody says one. */
export function transferTool({ world }: Stage, amount: number): Route {
  const input = { amount: Type.Integer({ default: amount }) };
  return defineRoute(
    'POST',
    '/transfer',
    { tool: true, toolName: 'transfer', approval: 'required', input, scopes: ['use'] },
    (given) => {
      world.happened(`transfer ${given.amount}`);
      return { done: given.amount };
    },
  );
}
