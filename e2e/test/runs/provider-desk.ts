/** Agents, a behaviour and flows over the durable engine, whose provider comes and goes, on a clock that tests move. */
import { agent, behaviour, createAgents } from '@waymark/agents';
import { createRouteTable, defineRoute, type Json, type Values } from '@waymark/contract';
import type { Call, RouteResponse } from '@waymark/contract/engine';
import { type ModelClient, ModelError, type ModelErrorOptions } from '@waymark/contract/models';
import type { AuditEvent } from '@waymark/contract/stores';
import { type FixedClock, type ScriptedReply, scriptedModel } from '@waymark/contract/testing';
import { createDispatcher, createHost, createIds } from '@waymark/core-routes';
import { type SqlDatabase, sqlRunStore, sqlSessionStore } from '@waymark/data';
import { createFlows, flow } from '@waymark/flows';
import { createRunner, type RunnerOptions, type StartableRunner } from '@waymark/runs';
import { boss, desk } from './engine.ts';
import { mortalStore } from './mortal-store.ts';
import { Life } from './world.ts';

/** A provider that is there or gone; processes come and go beside it. */
export class Provider {
  /** How it fails; undefined: it answers. */
  fault: Partial<ModelErrorOptions> | undefined;
  /** Requests that it got, answered or not. */
  asked = 0;
  /** Of which it answered these. */
  answered = 0;
  readonly effects: string[] = [];

  /** The models of one process. A reply is made from what is asked, so that it is the same in every process. */
  client(): ModelClient {
    const one = (reply: ScriptedReply): ModelClient => scriptedModel([reply]);
    return {
      check: () => undefined,
      estimateTokens: () => 10,
      estimateSpend: () => undefined,
      complete: async (request, options) => {
        this.asked++;
        const { fault } = this;
        if (fault)
          throw new ModelError('provider "cloud" is not available (503)', {
            ...{ reason: 'unavailable', provider: 'cloud', model: request.model },
            ...fault,
          });
        this.answered++;
        const text = JSON.stringify(request.messages);
        const reply: ScriptedReply =
          text.includes('refund it') && !text.includes('tool_result')
            ? { calls: [{ name: 'refund', arguments: {} }] }
            : text.includes('note it') && !text.includes('tool_result')
              ? { calls: [{ name: 'note', arguments: {} }] }
              : 'Done.';
        return one(reply).complete(request, options);
      },
    };
  }
}

/** One process of the desk. */
export interface Desk {
  readonly life: Life;
  readonly events: readonly AuditEvent[];
  readonly runner: StartableRunner;
  call(route: string, values?: Values, more?: Partial<Call>): Promise<RouteResponse>;
  /** The tool `slow` has done its work. */
  endSlow(): void;
  /** The process dies. */
  kill(): void;
  stop(): Promise<void>;
}

/** How a process is started. */
export interface DeskOptions extends Partial<RunnerOptions> {
  readonly agentTimeoutMs?: number;
  /** Of the process; it dies when it is told. */
  readonly life?: Life;
}

/** Starts one process: what others left behind is taken up. */
export async function startDesk(
  database: SqlDatabase,
  clock: FixedClock,
  provider: Provider,
  { agentTimeoutMs, life = new Life(), ...options }: DeskOptions = {},
): Promise<Desk> {
  const runner = createRunner({
    store: mortalStore(sqlRunStore(database), life),
    sessions: mortalStore(sqlSessionStore(database), life),
    ...{ drainMs: 200, random: () => 0, ...options },
  });
  const effect = (name: string) => () => {
    provider.effects.push(name);
    return { done: name };
  };
  const tool = { tool: true, scopes: ['use'] } as const;
  const plugins = [
    createAgents([
      agent('front', { tools: ['note', 'refund'], scopes: ['use'], description: 'Answers.' }),
      agent('talker', { description: 'Talks.', scopes: ['use'] }),
      behaviour('pair', { tools: ['note'], scopes: ['use'], input: {} }, async (ctx) => {
        await ctx.call('note', {});
        return Promise.all([ctx.ask('One?'), ctx.ask('Two?')]);
      }),
      behaviour('caught', { scopes: ['use'], input: {} }, async (ctx) => {
        try {
          return await ctx.ask('One?');
        } catch (error) {
          return { code: (error as { code?: string }).code ?? String(error) };
        }
      }),
      behaviour('branches', { tools: ['slow', 'note'], scopes: ['use'], input: {} }, async (ctx) =>
        Promise.all([ctx.ask('One?'), ctx.call('slow', {})]),
      ),
      behaviour('both', { tools: ['refund'], scopes: ['use'], input: {} }, async (ctx) =>
        Promise.all([ctx.ask('One?'), ctx.call('refund', {})]),
      ),
    ]),
    createFlows([
      flow('chain', {
        pipeline: [
          { tool: 'note', input: {} },
          { tool: 'front', input: { input: 'note it' } },
        ],
        scopes: ['use'],
      }),
    ]),
  ];
  let endSlow: () => void = () => {};
  const routes = [
    defineRoute('POST', '/note', { ...tool, toolName: 'note' }, effect('note')),
    defineRoute('POST', '/slow', { ...tool, toolName: 'slow' }, async () => {
      await new Promise<void>((resolve) => {
        endSlow = resolve;
      });
      return effect('slow')();
    }),
    defineRoute('POST', '/refund', { ...tool, toolName: 'refund', approval: 'required' }, effect('refund')),
    ...plugins.flatMap(({ routes }) => routes),
    ...runner.plugin.routes,
  ];
  const table = createRouteTable(routes, {
    ...(agentTimeoutMs !== undefined && { agentTimeoutMs }),
  }).freeze();
  const events: AuditEvent[] = [];
  const emit = (event: AuditEvent): void => void events.push(event);
  const monotonic = () => clock.monotonic();
  const newId = createIds();
  const end = new AbortController();
  const dispatcher = createDispatcher(table, {
    ...{ runner, emit, log: () => {}, monotonic, controlRule: () => undefined },
  });
  const models = provider.client();
  const after = (ms: number, task: () => unknown) =>
    clock.after(ms, async () => {
      if (life.dead) return;
      await Promise.race([task(), life.died]);
    });
  const made = createHost({
    ...{ table, dispatcher, runner, models, emit, log: () => {}, signal: end.signal, newId },
    ...{ now: () => clock.now(), monotonic },
  });
  const host = { ...made, after };
  const others = process.listeners('unhandledRejection');
  for (const plugin of plugins) await plugin.start?.(host);
  await Promise.race([runner.plugin.start?.(host), life.died]);
  const own = process.listeners('unhandledRejection').filter((listener) => !others.includes(listener));
  // A dead process listens to nothing any more.
  void life.died.then(() => {
    for (const listener of own) process.off('unhandledRejection', listener);
  });
  await Promise.race([runner.plugin.ready?.(), life.died]);
  let requests = 0;
  return {
    ...{ life, events, runner },
    call: async (name, values = {}, more = {}) => {
      const route = table.get(name);
      if (!route) throw new Error(`no route ${name}`);
      return dispatcher.dispatch({
        ...{ route, input: { by: 'arguments', values }, principal: desk, via: 'http' },
        requestId: `r${requests++}`,
        ...more,
      });
    },
    endSlow: () => endSlow(),
    kill: () => life.kill(),
    stop: async () => {
      end.abort();
      await runner.plugin.stop?.();
      life.kill();
    },
  };
}

/** Lets time pass for stores and processes alike, second by second, and what is due happen. */
export async function pass(database: SqlDatabase, clock: FixedClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) {
    const step = Math.min(1_000, left);
    // The clock of the database cannot be moved: what it wrote is moved instead.
    await database.write([
      {
        sql: 'update svc__wait set since_ms = since_ms - ?1, due_ms = due_ms - ?1, give_up_ms = give_up_ms - ?1',
        args: [step],
      },
      { sql: 'update svc__approval set expires_ms = expires_ms - ?1', args: [step] },
    ]);
    await clock.advance(step);
    await quiet(database);
  }
}

/** Until no process has anything to do that does not wait. */
export async function quiet(database: SqlDatabase): Promise<void> {
  for (let still = 0; still < 25; still++) {
    await new Promise((resolve) => setImmediate(resolve));
    const [row] = await database.many(
      "select count(*) as open from svc__run where parent_id is null and status = 'ready'",
    );
    if (row?.['open'] !== 0 && still > 20) break;
  }
}

/** What an answer holds. */
export function bodyOf({ body }: RouteResponse): { readonly [name: string]: Json } {
  if (body.kind === 'json') return JSON.parse(body.text) as { readonly [name: string]: Json };
  return JSON.parse(JSON.stringify(body)) as { readonly [name: string]: Json };
}

/** Who decides. */
export const yes = { approve: true, note: '', by: boss };
