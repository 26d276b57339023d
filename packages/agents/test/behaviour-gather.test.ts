import { defineRoute, type Json, type Route, Type } from '@waymark/contract';
import { scriptedModel, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type BehaviourContext, behaviour, type GatherItem, ToolError } from '../src/index.ts';
import { openBehaviour } from './behaviour-desk.ts';
import { openDesk } from './desk/open-desk.ts';

const shown = (values: readonly unknown[]): readonly Json[] =>
  values.map((one) => (one instanceof ToolError ? `${one.tool} ${one.status}` : (one as Json)));

/** Tools that are let go by hand: what is under way shows. */
function openLocks() {
  const under: number[] = [];
  const open = new Map<number, () => void>();
  let most = 0;
  const route: Route = defineRoute(
    'POST',
    '/wait',
    { tool: true, toolName: 'wait', input: { n: Type.Integer() } },
    async ({ n }) => {
      under.push(n);
      most = Math.max(most, open.size + 1);
      await new Promise<void>((resolve) => open.set(n, resolve));
      return n;
    },
  );
  return {
    route,
    under,
    get most() {
      return most;
    },
    /** Lets one go that has begun. */
    release(n: number): void {
      open.get(n)?.();
      open.delete(n);
    },
    /** All that are under way, newest first, until there are none. */
    async drain(): Promise<void> {
      for (let idle = 0; idle < 20; idle++) {
        for (const n of [...open.keys()].toReversed()) {
          this.release(n);
          idle = 0;
        }
        await new Promise(setImmediate);
      }
    },
  };
}

describe('ctx.gather', () => {
  it('takes a pair, a bare name, or a map of tool and arguments, and gives their values in order', async () => {
    verifies('behaviour.ctx.gather', 'behaviour.ctx.gather.pair', 'behaviour.ctx.gather.name');
    verifies('behaviour.ctx.gather.map');
    const { value, tools } = await openBehaviour((ctx) =>
      ctx.gather([['look', { text: 'a' }], 'look', { tool: 'mail', text: 'b' }, ['write']]),
    );
    expect(await value()).toEqual(['did look a', 'did look ', 'did mail b', 'did write ']);
    expect(tools.done.toSorted()).toEqual(['look ', 'look a', 'mail b', 'write ']);
  });

  it('gives an empty list for nothing', async () => {
    const { value } = await openBehaviour((ctx) => ctx.gather([]));
    expect(await value()).toEqual([]);
  });

  it('calls all, waits for all, and throws the failure that stands first, not the one that came first', async () => {
    verifies('behaviour.ctx.gather.exceptions.default', 'behaviour.gather.awaits-all');
    const { value, tools } = await openBehaviour(async (ctx) => {
      try {
        return await ctx.gather(['look', ['pay', { cents: 0 }], 'nope', 'write']);
      } catch (error) {
        return shown([error])[0];
      }
    });
    expect(await value()).toBe('pay 422');
    expect(tools.done.toSorted()).toEqual(['look ', 'write ']);
  });

  it('puts failures into their places with returnExceptions', async () => {
    verifies('behaviour.ctx.gather.exceptions');
    const { value } = await openBehaviour(async (ctx) =>
      shown(await ctx.gather(['nope', 'look', ['pay', { cents: 0 }]], { returnExceptions: true })),
    );
    expect(await value()).toEqual(['nope 403', 'did look ', 'pay 422']);
  });

  it('says in JSON what failed and why, without the insides of an error', async () => {
    verifies('behaviour.ctx.gather.exceptions.json');
    const { value } = await openBehaviour((ctx) =>
      ctx.gather(['nope', 'look', ['pay', { cents: 0 }]], { returnExceptions: true }),
    );
    const missing = '"nope" is not a tool of behaviour "tidy"';
    expect(await value()).toEqual([
      { error: missing, status: 403, code: 'tool_refused', tool: 'nope' },
      'did look ',
      { error: '/cents must be >= 1', status: 422, tool: 'pay' },
    ]);
  });

  it('says the same after a human was waited for, a no of theirs too', async () => {
    verifies('behaviour.ctx.gather.exceptions.json');
    const { start, value, runner } = await openBehaviour((ctx) =>
      ctx.gather(['nope', ['pay', { cents: 1 }]], { returnExceptions: true }),
    );
    expect((await start()).status).toBe(202);
    runner.answer('pay', 'declined', 'too much');
    const [refused, declined] = (await value({}, { resume: { rootId: 'run1' } })) as readonly Json[];
    expect(refused).toMatchObject({ error: '"nope" is not a tool of behaviour "tidy"', tool: 'nope' });
    expect(declined).toEqual({ error: 'too much', status: 403, code: 'declined', tool: 'pay' });
  });

  it.each([[5], [null], [{ name: 'look' }], [[5]]])('calls nothing where an item is %o', async (item) => {
    const { value, tools } = await openBehaviour((ctx) =>
      ctx.gather(['write', item as unknown as GatherItem]).catch(String),
    );
    expect(await value()).toBe('TypeError: an item of gather is a tool, [tool, args] or { tool, …args }');
    expect(tools.done).toEqual([]);
  });

  it('asks humans about all that need it at once, and waits for them, too', async () => {
    const { start, value, runner, tools } = await openBehaviour(async (ctx) =>
      shown(
        await ctx.gather([['pay', { cents: 1 }], 'look', ['fee', { cents: 2 }], ['pay', { cents: 3 }]], {
          returnExceptions: true,
        }),
      ),
    );
    expect((await start()).status).toBe(202);
    expect(runner.journal.asked.map(({ arguments: values }) => values)).toEqual([
      { cents: 1 },
      { cents: 2 },
      { cents: 3 },
    ]);
    expect(tools.done).toEqual(['look ']);
    runner.answer('fee', 'declined', 'no');
    runner.answer('pay', 'approved');
    expect((await start({}, { resume: { rootId: 'run1' } })).status).toBe(202);
    runner.answer('pay', 'approved');
    expect(await value({}, { resume: { rootId: 'run1' } })).toEqual([
      'did pay 1',
      'did look ',
      'fee 403',
      'did pay 3',
    ]);
    expect(tools.done).toEqual(['look ', 'pay 1', 'pay 3']);
  });

  it('asks humans about more than it executes at once, and goes on with all of them', async () => {
    const cents = Array.from({ length: 20 }, (_, i) => i + 1);
    const { start, value, runner, tools } = await openBehaviour((ctx) =>
      ctx.gather(cents.map((one) => ['pay', { cents: one }] as const)),
    );
    expect((await start()).status).toBe(202);
    expect(runner.journal.asked).toHaveLength(20);
    for (const _ of cents) runner.answer('pay', 'approved');
    expect(await value({}, { resume: { rootId: 'run1' } })).toEqual(cents.map((one) => `did pay ${one}`));
    expect(tools.done).toHaveLength(20);
  });

  it.each([15, 16, 17, 40])(
    'executes at most 16 of %i at once, in their order, and all of them',
    async (count) => {
      const locks = openLocks();
      const body = (ctx: BehaviourContext) =>
        ctx.gather(Array.from({ length: count }, (_, n) => ({ tool: 'wait', n })));
      const desk = await openDesk([behaviour('tidy', { tools: ['wait'] }, body)], scriptedModel([]), {
        routes: [locks.route],
      });
      const answer = desk.run('tidy', {});
      for (let i = 0; i < 30; i++) await new Promise(setImmediate);
      expect(locks.under).toEqual(Array.from({ length: Math.min(count, 16) }, (_, n) => n));
      await locks.drain();
      expect(await answer).toEqual(Array.from({ length: count }, (_, n) => n));
      expect(locks.under).toEqual(Array.from({ length: count }, (_, n) => n));
      expect(locks.most).toBe(Math.min(count, 16));
      // What is asked for has its place from the start, whatever finished first.
      const { rows } = desk.runner.journal;
      expect(rows.toSorted((a, b) => a.seq - b.seq).map(({ input }) => (input as { n: number }).n)).toEqual(
        Array.from({ length: count }, (_, n) => n),
      );
    },
  );
});
