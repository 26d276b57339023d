import { behaviour } from '@waymark/agents';
import { Type } from '@waymark/contract';
import { flow } from '@waymark/flows';
import { declared, inputFor, type NestedShape, scripted } from './declare.ts';

const scopes = ['use'];
const ask = { input: 'Go on.' };
const step = (tool: string, input = {}) => ({ tool, input });

/** An agent that asks a human before it signs. */
const clerk = scripted('clerk', [[['sign']]]);

const kinds = ['agent', 'behaviour', 'flow'] as const;

/** Runs of all kinds by turns, each calling the next one; the last calls a gated tool. */
export function tower(depth: number) {
  return Array.from({ length: depth + 1 }, (_, at) => {
    const next = at === depth ? 'refund' : `floor_${at + 1}`;
    const args = at === depth ? {} : inputFor(kinds[(at + 1) % kinds.length] ?? 'flow');
    const kind = kinds[at % kinds.length] ?? 'flow';
    const name = `floor_${at}`;
    if (kind === 'agent') return scripted(name, [[[next, args]]]);
    if (kind === 'flow') return flow(name, { pipeline: [step(next, args)], scopes });
    return behaviour(name, { tools: [next], scopes }, (ctx) => ctx.call(next, args));
  });
}

/** The shapes that must survive a death at every point, in the words of the design. */
export const nestedShapes: readonly NestedShape[] = [
  {
    name: 'gated in an agent',
    start: 'desk',
    input: ask,
    routes: (stage) => declared(stage, [scripted('desk', [[['once']], [['refund']]])]),
  },
  {
    name: 'gated in a flow',
    start: 'intake',
    routes: (stage) =>
      declared(stage, [
        flow('intake', { pipeline: ['look', step('once'), step('refund'), step('row')], scopes }),
      ]),
  },
  {
    name: 'gated in a behaviour',
    start: 'tidy',
    routes: (stage) =>
      declared(stage, [
        behaviour(
          'tidy',
          { tools: ['look', 'row', 'keyed', 'once', 'sign', 'fail', 'refund'], scopes },
          async (ctx) => {
            const id = ctx.uuid();
            const row = await ctx.call('row');
            const keyed = await ctx.call('keyed', { n: Math.floor(ctx.random() * 1_000_000) });
            ctx.log('half');
            const question = await ctx.ask('How many?', { schema: Type.Object({ n: Type.Integer() }) });
            const rest = ['once', 'sign', 'fail', 'refund', 'look'];
            const ends: unknown[] = [];
            for (const tool of rest) ends.push(await ctx.call(tool).catch((error: Error) => error.message));
            return { id, row, keyed, question, ends, at: ctx.now() };
          },
        ),
      ]),
  },
  {
    name: 'agent, flow, behaviour, agent, gate',
    start: 'top',
    input: ask,
    routes: (stage) =>
      declared(stage, [
        scripted('top', [[['middle']]]),
        flow('middle', { pipeline: [step('row'), step('lower')], scopes }),
        behaviour('lower', { tools: ['bottom'], scopes }, (ctx) => ctx.run('bottom', ask)),
        scripted('bottom', [[['refund']]]),
      ]),
  },
  { name: 'depth 7', start: 'floor_0', input: ask, routes: (stage) => declared(stage, tower(7)) },
  {
    name: 'a parallel flow with two gates',
    start: 'wide',
    routes: (stage) =>
      declared(stage, [
        flow('wide', { parallel: [step('refund'), step('clerk', ask), step('row'), step('once')], scopes }),
        clerk,
      ]),
  },
  {
    name: 'a parallel flow with two gates and a failing branch',
    start: 'wide',
    routes: (stage) =>
      declared(stage, [
        flow('wide', { parallel: [step('refund'), step('clerk', ask), step('fail'), step('row')], scopes }),
        clerk,
      ]),
  },
  {
    name: 'a gather with gates and a failure',
    start: 'gathers',
    routes: (stage) =>
      declared(stage, [
        behaviour(
          'gathers',
          { tools: ['look', 'refund', 'fail', 'clerk', 'row', 'once'], scopes },
          async (ctx) => {
            const items = ['look', 'refund', 'fail', ['clerk', ask], 'row', 'once'] as const;
            const ends = await ctx.gather(items, { returnExceptions: true });
            return [ends.length, await ctx.gather(items.slice(0, 3)).catch((error: Error) => error.message)];
          },
        ),
        clerk,
      ]),
  },
  {
    name: 'a turn of plain, gated, plain, gated',
    start: 'mixed',
    input: ask,
    routes: (stage) =>
      declared(stage, [scripted('mixed', [[['once'], ['refund'], ['row'], ['sign'], ['look']]])]),
  },
  {
    name: 'a handoff, then a gate',
    start: 'desk',
    input: ask,
    routes: (stage) =>
      declared(stage, [
        scripted('desk', [[['once'], ['transfer_to_clerk', { reason: 'money' }]]]),
        scripted('clerk', [[['refund']]]),
      ]),
  },
  {
    name: 'a turn of a session',
    start: 'talk',
    input: { ...ask, session_id: 's1' },
    // The question, two turns with their results, the last word.
    messages: 6,
    routes: (stage) => declared(stage, [scripted('talk', [[['look']], [['refund']]])]),
  },
  {
    name: 'a choice between gates',
    start: 'chooses',
    input: ask,
    routes: (stage) =>
      declared(stage, [
        flow('chooses', { route: { left: step('refund'), right: step('clerk', ask) }, scopes }),
        clerk,
      ]),
  },
  {
    name: 'a race past gates',
    start: 'races',
    together: 2,
    routes: (stage) =>
      declared(stage, [
        behaviour('races', { tools: ['refund', 'clerk', 'row', 'fail'], scopes }, async (ctx) => {
          const first = await Promise.race([ctx.call('refund'), ctx.run('clerk', ask), ctx.call('row')]);
          return [first, await ctx.call('fail').catch(() => 'failed'), await ctx.run('clerk', ask)];
        }),
        clerk,
      ]),
  },
];
