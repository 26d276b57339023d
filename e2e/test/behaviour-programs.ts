import { type BehaviourContext, behaviour, context, createAgents, ToolError } from '@waymark/agents';
import { defineRoute, type Json, type Route, Type } from '@waymark/contract';
import type { Host } from '@waymark/contract/engine';
import type { ModelClient } from '@waymark/contract/models';
import { scriptedModel } from '@waymark/contract/testing';
import type { Stage } from './runs/drivers.ts';
import type { Shape } from './runs/shapes.ts';

/** A behaviour as data, over all that a context object can do. */
export type BehaviourProgram =
  | { readonly do: 'call'; readonly tool: string }
  | { readonly do: 'ask' | 'context' | 'value' | 'log' | 'halt' }
  | { readonly do: 'many'; readonly count: number; readonly concurrency: number }
  | { readonly do: 'gather'; readonly tools: readonly string[]; readonly place: boolean }
  | { readonly do: 'series' | 'all' | 'race' | 'any'; readonly parts: readonly BehaviourProgram[] }
  /** Goes on by what something gave, and by what was used and done so far. */
  | {
      readonly do: 'branch';
      readonly on: BehaviourProgram;
      readonly yes: BehaviourProgram;
      readonly no: BehaviourProgram;
    }
  | { readonly do: 'try'; readonly body: BehaviourProgram; readonly rescue: BehaviourProgram }
  | { readonly do: 'float'; readonly body: BehaviourProgram };

const tools = ['look', 'slow', 'slow', 'row', 'keyed', 'once', 'fail', 'refund', 'inner', 'nowhere'];

/** A program of about `size` steps. */
export function randomBehaviour(random: () => number, size: number): BehaviourProgram {
  const upTo = (count: number): number => Math.floor(random() * count);
  const tool = (): string => tools[upTo(tools.length)] ?? 'look';
  if (size <= 1) {
    const kind = random();
    if (kind < 0.5) return { do: 'call', tool: tool() };
    if (kind < 0.65) return { do: 'ask' };
    if (kind < 0.8)
      return { do: 'gather', tools: Array.from({ length: upTo(20) }, tool), place: random() < 0.5 };
    if (kind < 0.9) return { do: 'many', count: upTo(9), concurrency: 1 + upTo(4) };
    const rest = ['context', 'value', 'log', 'halt'] as const;
    return { do: rest[upTo(rest.length)] ?? 'log' };
  }
  const part = (share: number): BehaviourProgram => randomBehaviour(random, Math.floor(size / share));
  const kind = random();
  if (kind < 0.6) {
    const groups = ['series', 'all', 'race', 'any'] as const;
    const count = 2 + upTo(3);
    return {
      do: groups[upTo(groups.length)] ?? 'all',
      parts: Array.from({ length: count }, () => part(count)),
    };
  }
  if (kind < 0.75) return { do: 'branch', on: part(3), yes: part(2), no: part(2) };
  if (kind < 0.9) return { do: 'try', body: part(2), rescue: part(2) };
  return { do: 'float', body: part(2) };
}

/** A shape that performs the program; whatever its code is given is told to the world, and when. */
export function toBehaviourShape(program: BehaviourProgram, maxSteps = 60): Shape {
  return {
    name: JSON.stringify(program),
    start: 'program',
    routes: (stage) => {
      const body = (ctx: BehaviourContext) =>
        new Performance(ctx, stage).perform(program, '0').catch(refused);
      const declared = { tools: tools.filter((tool) => tool !== 'nowhere'), context: ['facts'] };
      const plugin = createAgents([
        behaviour('program', { ...declared, scopes: ['use'], maxSteps }, body),
        behaviour('inner', { tools: ['look', 'refund'], scopes: ['use'] }, async (ctx) => [
          await ctx.call('look'),
          await ctx.call('refund'),
        ]),
        context('facts', () => `read ${++stage.world.modelCalls}`),
      ]);
      // Nothing of a host but its models and its clock is looked at.
      void plugin.start?.({ models: thinking(stage), now: Date.now } as unknown as Host);
      return [slowTool(stage), ...plugin.routes];
    },
  };
}

/** What a program calls that is not there is no failure of its run. */
function refused(error: unknown): string {
  if (error instanceof ToolError && error.code === 'tool_refused') return error.message;
  throw error;
}

/** One leg of the code. */
class Performance {
  readonly #ctx: BehaviourContext;
  readonly #stage: Stage;
  #given = 0;

  constructor(ctx: BehaviourContext, stage: Stage) {
    this.#ctx = ctx;
    this.#stage = stage;
  }

  async perform(program: BehaviourProgram, place: string): Promise<unknown> {
    const ctx = this.#ctx;
    switch (program.do) {
      case 'call':
        return this.#give(place, program.tool === 'inner' ? ctx.run('inner') : ctx.call(program.tool));
      case 'ask':
        return this.#give(place, ctx.ask(place, { schema: Type.Object({ n: Type.Integer() }) }));
      case 'many': {
        const { count, concurrency } = program;
        const prompts = Array.from({ length: count }, (_, i) => `${place}.${i}`);
        return this.#give(place, ctx.askMany(prompts, { concurrency }));
      }
      case 'gather':
        return this.#give(place, ctx.gather(program.tools, { returnExceptions: program.place }));
      case 'context':
        return this.#give(place, ctx.context('facts'));
      case 'value':
        return [ctx.now(), ctx.random(), ctx.uuid()].length;
      case 'log':
        return ctx.log(place);
      case 'halt':
        return ctx.halt(place);
      case 'series': {
        const ends: unknown[] = [];
        for (const [i, part] of program.parts.entries()) ends.push(await this.perform(part, `${place}.${i}`));
        return ends;
      }
      case 'all':
        return Promise.all(this.#all(program.parts, place));
      case 'race':
        return Promise.race(this.#all(program.parts, place));
      case 'any':
        return Promise.any(this.#all(program.parts, place)).catch(() => 'none');
      case 'branch': {
        const seen = JSON.stringify([await this.perform(program.on, `${place}.on`), ctx.usage, ctx.trace]);
        return seen.length % 2 === 0
          ? this.perform(program.yes, `${place}.yes`)
          : this.perform(program.no, `${place}.no`);
      }
      case 'try':
        try {
          return await this.perform(program.body, `${place}.try`);
        } catch {
          return this.perform(program.rescue, `${place}.rescue`);
        }
      case 'float':
        this.perform(program.body, `${place}.float`).catch(() => {});
        return 'floating';
    }
  }

  #all(parts: readonly BehaviourProgram[], place: string): readonly Promise<unknown>[] {
    return parts.map((part, i) => this.perform(part, `${place}.${i}`));
  }

  /** Tells what was given, and after how many others. */
  async #give<T>(place: string, step: Promise<T>): Promise<T> {
    const { world, life } = this.#stage;
    const tell = (value: unknown): void => {
      if (life.dead) return;
      const usage = JSON.stringify([this.#ctx.usage, this.#ctx.trace.length]);
      world.give(`${this.#ctx.runId} given ${this.#given++}`, [place, plain(value), usage]);
    };
    try {
      const value = await step;
      tell(value);
      return value;
    } catch (error) {
      tell(error);
      throw error;
    }
  }
}

/** Failures as the world can compare them. */
function plain(value: unknown): Json {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof ToolError) return [value.tool, value.status, value.message, value.note ?? null];
  return value instanceof Error ? String(value) : (value as Json);
}

/** Takes another time each time. */
function slowTool({ life, world }: Stage): Route {
  const options = { tool: true, toolName: 'slow', scopes: ['use'] } as const;
  return defineRoute('GET', '/slow', options, async () => {
    await hops();
    await life.point('slow');
    world.happened('slow');
    return world.count('slow');
  });
}

/** No two answers are the same: one that is asked for anew shows. They cost nothing: tokens are counted elsewhere. */
function thinking({ life, world }: Stage): ModelClient {
  return {
    ...scriptedModel([]),
    async complete({ schema }) {
      await life.point('model asked');
      await hops();
      const n = ++world.modelCalls;
      await life.point('model answered');
      const message = { role: 'assistant' as const, parts: [{ type: 'text' as const, text: `answer ${n}` }] };
      return { message, stop: 'end', spend: [], ...(schema && { value: { n } }) };
    },
  };
}

async function hops(): Promise<void> {
  for (let i = Math.floor(Math.random() * 6); i > 0; i--) await new Promise(setImmediate);
}
