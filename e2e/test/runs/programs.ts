import type { Json } from '@waymark/contract';
import type { Ctx } from './drivers.ts';
import { runRoute } from './drivers.ts';
import type { Shape } from './shapes.ts';

/** A behaviour as data: what a person could write with promises and branches. */
export type Program =
  | { readonly do: 'call'; readonly tool: string }
  | { readonly do: 'value' }
  | { readonly do: 'hops'; readonly count: number; readonly next: Program }
  | { readonly do: 'series' | 'all' | 'race' | 'any' | 'gather'; readonly parts: readonly Program[] }
  /** Goes on by what a call gave. */
  | { readonly do: 'branch'; readonly on: Program; readonly yes: Program; readonly no: Program }
  | { readonly do: 'try'; readonly body: Program; readonly rescue: Program }
  | { readonly do: 'float'; readonly body: Program };

const tools = ['look', 'look', 'row', 'keyed', 'once', 'fail', 'refund'];
const groups = ['series', 'all', 'race', 'any', 'gather'] as const;

/** A program of up to `size` steps. */
export function randomProgram(random: () => number, size: number): Program {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  if (size <= 1) {
    const tool = pick(tools);
    return random() < 0.1 ? { do: 'value' } : { do: 'call', tool };
  }
  const half = (): Program => randomProgram(random, Math.floor(size / 2));
  const kind = random();
  if (kind < 0.6) {
    const count = 2 + Math.floor(random() * 3);
    const parts = Array.from({ length: count }, () => randomProgram(random, Math.floor(size / count)));
    return { do: pick(groups), parts };
  }
  if (kind < 0.7) return { do: 'hops', count: Math.floor(random() * 5), next: half() };
  if (kind < 0.85) return { do: 'branch', on: { do: 'call', tool: 'look' }, yes: half(), no: half() };
  if (kind < 0.95) return { do: 'try', body: half(), rescue: half() };
  return { do: 'float', body: half() };
}

/** Runs it as a behaviour would. */
export async function perform(ctx: Ctx, program: Program): Promise<Json> {
  switch (program.do) {
    case 'call':
      return ctx.must(program.tool);
    case 'value':
      return ctx.value('random', () => Math.random());
    case 'hops':
      for (let i = 0; i < program.count; i++) await Promise.resolve();
      return perform(ctx, program.next);
    case 'series': {
      const values: Json[] = [];
      for (const part of program.parts) values.push(await perform(ctx, part));
      return values;
    }
    case 'all':
      return Promise.all(program.parts.map((part) => perform(ctx, part)));
    case 'race':
      return Promise.race(program.parts.map((part) => perform(ctx, part)));
    case 'any':
      return Promise.any(program.parts.map((part) => perform(ctx, part))).catch(() => 'none');
    case 'gather': {
      const ends = await Promise.allSettled(program.parts.map((part) => perform(ctx, part)));
      return ends.map((end) => (end.status === 'fulfilled' ? end.value : String(end.reason)));
    }
    case 'branch': {
      const seen = JSON.stringify(await perform(ctx, program.on));
      return perform(ctx, seen.length % 2 === 0 ? program.yes : program.no);
    }
    case 'try':
      try {
        return await perform(ctx, program.body);
      } catch {
        return perform(ctx, program.rescue);
      }
    case 'float':
      perform(ctx, program.body).catch(() => {});
      return 'floating';
  }
}

/** A shape that performs the program. */
export function toShape(name: string, program: Program): Shape {
  return {
    name,
    start: 'program',
    routes: (stage) => [runRoute('behaviour', 'program', (ctx) => perform(ctx, program), stage)],
  };
}
