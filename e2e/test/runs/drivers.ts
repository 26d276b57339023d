/** Drivers in the shape of agents, behaviours and flows, as short as they can be written over the contract. */
import {
  callTool,
  HTTPError,
  type Json,
  type Route,
  reply,
  type ToolResult,
  Type,
  toRoute,
  type Values,
} from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import type { Spend } from '@waymark/contract/models';
import type { Principal } from '@waymark/contract/principal';
import { isWaiting, type OpSpec, type RunScope, type RunSpec, toWireWaiting } from '@waymark/contract/runs';
import type { Life, World } from './world.ts';

/** What drivers and tools of one engine share. */
export interface Stage {
  readonly world: World;
  readonly life: Life;
}

/** A call that a model or a script asks for. */
export interface Wish {
  readonly tool: string;
  readonly args: Values;
}

/** What a model says: calls, or the last word. */
export type Reply = { readonly calls: readonly Wish[] } | { readonly text: string };

const kinds = { agent: '/agents', behaviour: '/behaviours', flow: '/flows' } as const;

/** What may differ between runs of one driver. */
export interface RunOptions {
  readonly tokenBudget?: number | null;
  readonly scopes?: readonly string[];
  readonly session?: (input: Values, principal: Principal) => RunSpec['session'];
  readonly approval?: 'required';
  readonly timeoutMs?: number;
}

/** A route whose calls are runs. */
export function runRoute(
  kind: keyof typeof kinds,
  name: string,
  body: (ctx: Ctx, input: Values) => Promise<Json>,
  stage: Stage,
  options: RunOptions = {},
): Route {
  const { tokenBudget = null, scopes = ['use'], session, approval, timeoutMs } = options;
  return toRoute(
    'POST',
    `${kinds[kind]}/${name}`,
    {
      kind,
      durability: 'run',
      answer: async (context) => {
        const turn = session?.(context.input, context.principal);
        const spec = {
          kind,
          name,
          codeVersion: '1',
          scopes,
          tokenBudget,
          maxSteps: null,
          ...(turn && { session: turn }),
        };
        const outcome = await context.openRun(spec, async (scope) => {
          const value = await body(new Ctx(context, scope, stage), context.input);
          const append = turn && { session: { messages: [context.input, value] as Json[] } };
          return { status: 'completed', value, ...append };
        });
        if (isWaiting(outcome)) {
          const { runId, status, waits } = outcome;
          const { pending_approvals = [] } = toWireWaiting(outcome);
          return reply(202, { run_id: runId, status, pending_approvals, waits });
        }
        if (outcome.status === 'cancelled') return { run_id: outcome.runId, status: outcome.status };
        return { run_id: outcome.runId, status: outcome.status, output: outcome.value };
      },
    },
    {
      tool: true,
      toolName: name,
      placement: 'owner',
      input: {
        input: Type.Optional(Type.Unknown()),
        session_id: Type.Optional(Type.String()),
        reset: Type.Optional(Type.Boolean()),
      },
      ...(approval && { approval }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    },
  );
}

/** What a driver's code works with. Everything it is given is told to the world. */
export class Ctx {
  readonly scope: RunScope;
  readonly #context: EngineContext;
  readonly #stage: Stage;
  #seq = 0;

  constructor(context: EngineContext, scope: RunScope, stage: Stage) {
    this.#context = context;
    this.scope = scope;
    this.#stage = stage;
  }

  get world(): World {
    return this.#stage.world;
  }

  get life(): Life {
    return this.#stage.life;
  }

  async call(
    tool: string,
    args: Values = {},
    more: { readonly after?: Promise<unknown>; readonly reason?: string } = {},
  ): Promise<ToolResult> {
    const route = this.#context.table.tool(tool);
    const key = this.#key();
    if (!route) throw new HTTPError(500, `unknown tool ${tool}`);
    const result = await callTool(this.#context.dispatcher, {
      route,
      arguments: args,
      via: this.#context.route.engine.kind === 'flow' ? 'flow' : 'agent',
      requestId: this.#context.requestId,
      scope: this.scope,
      ...more,
    });
    this.#give(key, result);
    return result;
  }

  /** The value of a call that must not fail. */
  async must(tool: string, args: Values = {}): Promise<Json> {
    const result = await this.call(tool, args);
    if (!result.ok)
      throw new HTTPError(
        result.status,
        result.message,
        result.code === undefined ? {} : { code: result.code },
      );
    return result.value;
  }

  async model(think: () => Reply, tokens = 10): Promise<Reply> {
    const key = this.#key();
    const { world, life } = this.#stage;
    const value = await this.scope.op<Json>(
      {
        kind: 'model',
        name: 'fast',
        input: null,
        repeat: 'safe',
        reserveTokens: tokens + 20,
        estimateTokens: 10,
      },
      async () => {
        await life.point('model asked');
        world.modelCalls++;
        world.happened('model');
        await life.point('model answered');
        // No two answers are the same: one that is decided anew shows.
        return { value: { ...think(), n: world.modelCalls } as Json, spend: [spendOf(10, tokens)] };
      },
    );
    this.#give(key, value);
    return value as unknown as Reply;
  }

  /** Any other step. */
  async op(spec: OpSpec, make: () => Promise<Json>): Promise<Json> {
    const key = this.#key();
    const value = await this.scope.op<Json>(spec, async () => ({ value: await make() }));
    this.#give(key, value);
    return value;
  }

  history(): Promise<readonly Json[]> {
    this.#key();
    return this.scope.history();
  }

  value(name: 'now' | 'random' | 'uuid' | 'log', make: () => Json): Json {
    const key = this.#key();
    const value = this.scope.value(name, make);
    // One that nothing followed may be another the next time: nobody has acted on it.
    if (!this.#stage.life.dead) this.#stage.world.given.set(key, JSON.stringify(value));
    return value;
  }

  /** All calls of one turn of a model: at once what only reads, the others one after the other, humans asked together. */
  turn(wishes: readonly Wish[]): Promise<readonly ToolResult[]> {
    let before: Promise<unknown> | undefined;
    return Promise.all(
      wishes.map(({ tool, args }) => {
        if (this.#context.table.tool(tool)?.readOnly) return this.call(tool, args);
        const result = this.call(tool, args, before ? { after: before } : {});
        before = result.then((one) => {
          if (!one.ok && (one.code === 'declined' || one.code === 'expired' || one.code === 'not_executed'))
            throw new HTTPError(409, 'not executed: an earlier call of this turn was declined', {
              code: 'not_executed',
            });
        });
        before.catch(() => {});
        return result;
      }),
    );
  }

  #key(): string {
    return `${this.scope.runId}.${this.#seq++}`;
  }

  #give(key: string, value: unknown): void {
    if (!this.#stage.life.dead) this.#stage.world.give(key, value);
  }
}

/** An agent: asks its model, does what that wants, until it says its last word. */
export function agent(script: readonly Reply[]): (ctx: Ctx) => Promise<Json> {
  return async (ctx) => {
    const seen: Json[] = [];
    for (const line of script) {
      const said = await ctx.model(() => line);
      if ('text' in said) return { said: said as Json, seen };
      seen.push(...((await ctx.turn(said.calls)) as unknown as Json[]));
    }
    return { seen };
  };
}

/** A priced use of a model. */
export function spendOf(inputTokens: number, outputTokens: number): Spend {
  const free = { cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false };
  return { model: 'fast', provider: 'script', inputTokens, outputTokens, costMicros: 5, ...free };
}
