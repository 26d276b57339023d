import { type BehaviourContext, behaviour, ToolError } from '@waymark/agents';
import { defineRoute, type Json, type Route, Type } from '@waymark/contract';
import { flow } from '@waymark/flows';
import type { Stage } from '../runs/drivers.ts';
import { declared, type NestedShape, scripted } from './declare.ts';

/** A behaviour as data: everything that code can do with its context, and runs of all kinds below it. */
export type Program =
  | { readonly do: 'call' | 'run'; readonly tool: string }
  | { readonly do: 'ask' | 'log' | 'hop' }
  | { readonly do: 'many'; readonly count: number; readonly concurrency: number }
  | { readonly do: 'gather'; readonly tools: readonly string[]; readonly place: boolean }
  | { readonly do: 'series' | 'all' | 'settled' | 'race' | 'any'; readonly parts: readonly Program[] }
  | {
      readonly do: 'branch';
      readonly by: 'result' | 'usage' | 'trace' | 'random' | 'now';
      readonly on: Program;
      readonly yes: Program;
      readonly no: Program;
    }
  | { readonly do: 'try'; readonly body: Program; readonly rescue: Program }
  | { readonly do: 'float'; readonly body: Program };

const tools = ['look', 'slow', 'slow', 'row', 'keyed', 'once', 'fail', 'refund', 'sign'];
/** The last one is a program of its own. */
const runs = ['clerk', 'pair', 'line', 'choice', 'helper', 'second'];

/** A program of about `size` steps. */
export function randomNesting(random: () => number, size: number): Program {
  const upTo = (count: number): number => Math.floor(random() * count);
  const pick = <T>(from: readonly T[]): T => from[upTo(from.length)] as T;
  if (size <= 1) {
    const kind = random();
    if (kind < 0.4) return { do: 'call', tool: pick(tools) };
    if (kind < 0.65) return { do: 'run', tool: pick(runs) };
    if (kind < 0.75) return { do: 'ask' };
    if (kind < 0.85)
      return {
        do: 'gather',
        tools: Array.from({ length: upTo(6) }, () => pick([...tools, 'clerk', 'line', 'helper'])),
        place: random() < 0.5,
      };
    if (kind < 0.9) return { do: 'many', count: upTo(5), concurrency: 1 + upTo(3) };
    return { do: pick(['log', 'hop']) };
  }
  const part = (share: number): Program => randomNesting(random, Math.floor(size / share));
  const kind = random();
  if (kind < 0.6) {
    const count = 2 + upTo(3);
    const parts = Array.from({ length: count }, () => part(count));
    return { do: pick(['series', 'all', 'settled', 'race', 'any']), parts };
  }
  if (kind < 0.8) {
    const by = pick(['result', 'usage', 'trace', 'random', 'now'] as const);
    return { do: 'branch', by, on: part(3), yes: part(2), no: part(2) };
  }
  if (kind < 0.95) return { do: 'try', body: part(2), rescue: part(2) };
  return { do: 'float', body: part(2) };
}

const scopes = ['use'];
const ask = { input: 'Go on.' };
const step = (tool: string, input: { readonly [name: string]: Json } = {}) => ({ tool, input });

/** A shape that performs the program, with another one as one of the runs that it may begin. */
export function toNestedShape(program: Program, second: Program): NestedShape {
  return {
    name: JSON.stringify([program, second]),
    start: 'program',
    // As many as there may be: programs ask as much at once as they like.
    together: 1_000,
    routes: (stage) => [
      slowTool(stage),
      ...declared(stage, [
        behaviour('program', { tools: [...tools, ...runs], scopes, maxSteps: 80 }, (ctx) =>
          perform(ctx, program, '0', stage),
        ),
        // It may not begin itself again: a try to is refused.
        behaviour('second', { tools: [...tools, ...runs.slice(0, -1)], scopes, maxSteps: 40 }, (ctx) =>
          perform(ctx, second, '1', stage),
        ),
        behaviour('helper', { tools: ['look', 'refund', 'clerk'], scopes }, async (ctx) => [
          await ctx.call('look'),
          await Promise.all([ctx.call('refund').catch(() => 'no'), ctx.run('clerk', ask)]),
        ]),
        scripted('clerk', [
          [['slow'], ['look']],
          [['once'], ['sign'], ['row']],
        ]),
        flow('pair', { parallel: [step('slow'), step('clerk', ask), step('refund')], scopes }),
        flow('line', { pipeline: [step('row'), step('sign'), step('once')], scopes }),
        flow('choice', { route: { left: step('line'), right: step('clerk', ask) }, scopes }),
      ]),
    ],
  };
}

/**
 * Performs it. After each step the world is told what the context says: the same at the same place in each leg. Not
 * elsewhere: a value that no step followed yet may be another the next time, and everything that hangs on it. For the
 * same reason without log lines.
 */
async function perform(
  ctx: BehaviourContext,
  program: Program,
  place: string,
  stage: Stage,
): Promise<unknown> {
  const { world, life } = stage;
  const part = (one: Program, name: string): Promise<unknown> => perform(ctx, one, `${place}.${name}`, stage);
  try {
    return await act(ctx, program, place, part);
  } finally {
    const done = ctx.trace.filter(({ kind }) => kind !== 'log');
    if (!life.dead && isStep(program)) world.give(`${ctx.runId} ${place}`, [ctx.usage, done]);
  }
}

function isStep(program: Program): boolean {
  if (program.do === 'many') return program.count > 0;
  if (program.do === 'gather') return program.tools.length > 0;
  return program.do === 'call' || program.do === 'run' || program.do === 'ask';
}

async function act(
  ctx: BehaviourContext,
  program: Program,
  place: string,
  part: (one: Program, name: string) => Promise<unknown>,
): Promise<unknown> {
  const all = (parts: readonly Program[]): readonly Promise<unknown>[] =>
    parts.map((one, i) => part(one, String(i)));
  switch (program.do) {
    case 'call':
      return ctx.call(program.tool);
    case 'run':
      return ctx.run(program.tool, program.tool === 'clerk' ? ask : {});
    case 'ask':
      return ctx.ask(place, { schema: Type.Object({ n: Type.Integer() }) });
    case 'log':
      return ctx.log(place);
    case 'hop':
      for (let i = 0; i < 1 + (ctx.usage.steps % 4); i++) await Promise.resolve();
      return 'hopped';
    case 'many': {
      const prompts = Array.from({ length: program.count }, (_, i) => `${place}.${i}`);
      return ctx.askMany(prompts, { concurrency: program.concurrency });
    }
    case 'gather': {
      const items = program.tools.map((tool) => [tool, tool === 'clerk' ? ask : {}] as const);
      const ends = await ctx.gather(items, { returnExceptions: program.place });
      return ends.map((end) => (end instanceof ToolError ? end.message : end));
    }
    case 'series': {
      const ends: unknown[] = [];
      for (const [i, one] of program.parts.entries()) ends.push(await part(one, String(i)));
      return ends;
    }
    case 'all':
      return Promise.all(all(program.parts));
    case 'settled':
      return (await Promise.allSettled(all(program.parts))).map(({ status }) => status);
    case 'race':
      return Promise.race(all(program.parts));
    case 'any':
      return Promise.any(all(program.parts)).catch(() => 'none');
    case 'branch': {
      const given = await part(program.on, 'on').catch((error: Error) => error.message);
      return isEven(ctx, program.by, given) ? part(program.yes, 'yes') : part(program.no, 'no');
    }
    case 'try':
      try {
        return await part(program.body, 'try');
      } catch {
        return part(program.rescue, 'rescue');
      }
    case 'float':
      part(program.body, 'float').catch(() => {});
      return 'floating';
  }
}

/** What a replay must see again, or it goes the other way. */
function isEven(
  ctx: BehaviourContext,
  by: Extract<Program, { do: 'branch' }>['by'],
  given: unknown,
): boolean {
  if (by === 'random') return ctx.random() < 0.5;
  if (by === 'now') return ctx.now() % 2 === 0;
  const seen = by === 'result' ? given : by === 'usage' ? ctx.usage : ctx.trace;
  const bytes = Buffer.from(JSON.stringify(seen) ?? '');
  return bytes.reduce((sum, byte) => sum + byte, 0) % 2 === 0;
}

/** Takes another time each time, and says something else. */
function slowTool({ life, world }: Stage): Route {
  return defineRoute('GET', '/slow', { tool: true, toolName: 'slow', scopes }, async () => {
    for (let i = Math.floor(Math.random() * 6); i > 0; i--) await new Promise(setImmediate);
    await life.point('slow');
    world.happened('slow');
    return world.count('slow');
  });
}
