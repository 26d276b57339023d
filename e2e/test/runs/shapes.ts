import type { HTTPError, Json, Route, Values } from '@waymark/contract';
import type { Played } from '../kills/survive.ts';
import { agent, type Ctx, runRoute, type Stage } from './drivers.ts';

/** A nesting of runs, and the one that is started. */
export type Shape = Played;

const call = (tool: string, args: Values = {}) => ({ calls: [{ tool, args }] });
const bye = { text: 'bye' };

/** All settled, then the first failure by position. */
async function gather(all: readonly Promise<Json>[]): Promise<Json[]> {
  const ends = await Promise.allSettled(all);
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
  return ends.map((end) => (end.status === 'fulfilled' ? end.value : null));
}

/** Depth 7, the deepest there is: each run calls the next one. */
function tower(stage: Stage): readonly Route[] {
  return Array.from({ length: 8 }, (_, depth) =>
    runRoute(
      'flow',
      `floor_${depth}`,
      async (ctx) => (depth === 7 ? ctx.must('refund') : ctx.must(`floor_${depth + 1}`)),
      stage,
    ),
  );
}

/** The shapes that must survive a death at every point. */
export const shapes: readonly Shape[] = [
  {
    name: 'agent with a gated tool',
    start: 'clerk',
    routes: (stage) => [runRoute('agent', 'clerk', agent([call('once'), call('refund'), bye]), stage)],
  },
  {
    name: 'behaviour with every class of effect',
    start: 'classes',
    routes: (stage) => [
      runRoute(
        'behaviour',
        'classes',
        async (ctx) => {
          const id = ctx.value('uuid', () => Math.random());
          const look = await ctx.must('look', { n: 1 });
          const row = await ctx.call('row');
          const n = Math.floor(Number(ctx.value('random', () => Math.random())) * 1_000_000);
          const keyed = await ctx.call('keyed', { n });
          ctx.value('log', () => 'half');
          const once = await ctx.call('once');
          const sign = await ctx.call('sign');
          const fail = await ctx.call('fail');
          const refund = await ctx.call('refund');
          ctx.value('now', () => Math.random());
          return { id, look, row, keyed, once, sign, fail, refund };
        },
        stage,
      ),
    ],
  },
  {
    name: 'agent in a behaviour in a flow in an agent',
    start: 'top',
    routes: (stage) => [
      runRoute('agent', 'top', agent([call('middle'), bye]), stage),
      runRoute('flow', 'middle', async (ctx) => [await ctx.must('row'), await ctx.must('lower')], stage),
      runRoute('behaviour', 'lower', async (ctx) => ctx.must('bottom'), stage),
      runRoute('agent', 'bottom', agent([call('refund'), bye]), stage),
    ],
  },
  { name: 'depth 7', start: 'floor_0', routes: tower },
  {
    name: 'parallel flow with two gates and a failing branch',
    start: 'wide',
    routes: (stage) => [
      runRoute(
        'flow',
        'wide',
        async (ctx) => gather([ctx.must('refund'), ctx.must('clerk'), ctx.must('fail'), ctx.must('row')]),
        stage,
      ),
      runRoute('agent', 'clerk', agent([call('refund'), bye]), stage),
    ],
  },
  {
    name: 'gather with a gate, a failure and hops',
    start: 'gathers',
    routes: (stage) => [
      runRoute(
        'behaviour',
        'gathers',
        async (ctx) => {
          const hop = async (n: number) => [await ctx.call('look', { n }), await ctx.call('row', { n })];
          const parts = await Promise.all([hop(1), ctx.call('refund'), hop(2), ctx.call('fail'), hop(3)]);
          return parts;
        },
        stage,
      ),
    ],
  },
  {
    name: 'a turn of plain, gated, plain, gated',
    start: 'mixed',
    routes: (stage) => [
      runRoute(
        'agent',
        'mixed',
        agent([
          { calls: ['once', 'refund', 'row', 'look', 'sign'].map((tool) => ({ tool, args: {} })) },
          bye,
        ]),
        stage,
      ),
    ],
  },
  {
    name: 'a handover, then a gate',
    start: 'desk',
    routes: (stage) => [
      runRoute(
        'agent',
        'desk',
        async (ctx: Ctx) => {
          await ctx.model(() => call('transfer'));
          const spec = { kind: 'handoff', name: 'clerk', input: { to: 'clerk' }, repeat: 'safe' } as const;
          const moved = await ctx.op(spec, async () => ({ from: 'desk', reason: 'money' }));
          await ctx.model(() => call('refund'));
          return { moved, refund: await ctx.call('refund') };
        },
        stage,
      ),
    ],
  },
  {
    name: 'a turn of a session',
    start: 'talk',
    input: { input: 'hello', session_id: 's1' },
    routes: (stage) => [
      runRoute(
        'agent',
        'talk',
        async (ctx) => {
          const before = (await ctx.history()) as Json;
          await ctx.model(() => call('refund'));
          return { before, refund: await ctx.call('refund') };
        },
        stage,
        {
          session: (input, { rootId }) => ({
            key: `talk:${rootId}:${String(input['session_id'])}`,
            reset: false,
          }),
        },
      ),
    ],
  },
  {
    name: 'a race past a gate',
    start: 'races',
    routes: (stage) => [
      runRoute(
        'behaviour',
        'races',
        async (ctx) => {
          const first = await Promise.race([ctx.call('refund'), ctx.call('look', { n: 1 }), ctx.call('row')]);
          const caught = await ctx.must('fail').catch((error: unknown) => (error as HTTPError).status);
          return { first, caught };
        },
        stage,
      ),
    ],
  },
];
