import { HTTPError } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import { validateValue } from '@waymark/contract/schema';
import { scriptedModel, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { agent, behaviour, createAgents } from '../src/index.ts';
import { openBehaviour } from './behaviour-desk.ts';
import { ann, bodyOf, openDesk } from './desk/open-desk.ts';
import { resultsOf } from './desk/tools.ts';

describe('the answer of a behaviour', () => {
  it.each([[{ closed: 3 }], [[1, 2]], ['a text'], [5], [false], [null]])(
    'is the value of its function: %o',
    async (given) => {
      verifies('behaviour.route.answer');
      const { start, value, table } = await openBehaviour(() => given);
      expect((await start()).status).toBe(200);
      expect(await value()).toEqual(given);
      expect(validateValue(table.get('tidy')!.output[200]!, given)).toEqual([]);
    },
  );

  it('is null for nothing', async () => {
    const { value } = await openBehaviour(() => {});
    expect(await value()).toBeNull();
  });

  it('says that it was halted, and why', async () => {
    verifies('behaviour.route.halted');
    const { start } = await openBehaviour((ctx) => ctx.halt('nothing stale'));
    const response = await start();
    expect(response.status).toBe(200);
    expect(bodyOf(response)).toEqual({ halted: true, reason: 'nothing stale' });
  });

  it('keeps the status, code and words of an HTTPError, and says which run it was', async () => {
    verifies('behaviour.route.http-error');
    const { start } = await openBehaviour(async (ctx) => {
      await ctx.call('look');
      throw new HTTPError(409, 'somebody is tidying already', { code: 'busy' });
    });
    const response = await start();
    expect(response).toMatchObject({
      status: 409,
      body: {
        ...{ detail: 'somebody is tidying already', code: 'busy' },
        run: {
          ...{ run_id: 'run1', behaviour: 'tidy', path: ['tidy'], status: 'failed' },
          steps: [{ kind: 'tool_call', tool: 'look' }],
          usage: { steps: 1, tool_calls: 1 },
        },
      },
    });
  });

  it('names the tool whose failure nobody caught', async () => {
    const { start } = await openBehaviour((ctx) => ctx.call('pay', { cents: 0 }));
    expect(await start()).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/^tool pay failed with 422: \/cents /) as unknown },
    });
  });

  it('is 403 with the note of a human who declined, where nobody caught it', async () => {
    const { start, runner } = await openBehaviour((ctx) => ctx.call('pay', { cents: 5 }));
    await start();
    runner.answer('pay', 'declined', 'not today');
    expect(await start({}, { resume: { rootId: 'run1' } })).toMatchObject({
      status: 403,
      body: { detail: 'not today', code: 'declined' },
    });
  });

  it('is the envelope while a human is asked', async () => {
    const { start, table } = await openBehaviour(async (ctx) => {
      await ctx.call('look');
      return ctx.call('pay', { cents: 5 });
    });
    const response = await start();
    expect(response.status).toBe(202);
    const body = bodyOf(response);
    expect(body).toEqual({
      ...{ run_id: 'run1', behaviour: 'tidy', path: ['tidy'], status: 'awaiting_approval' },
      steps: [expect.objectContaining({ kind: 'tool_call', tool: 'look' }) as unknown],
      usage: expect.objectContaining({ steps: 1, tree_tokens: 0, cost_usd: 0 }) as unknown,
      pending_approvals: [
        expect.objectContaining({
          approval_id: 'approval-run1.1',
          tool: 'pay',
          arguments: { cents: 5 },
        }) as unknown,
      ],
    });
    expect(validateValue(table.get('tidy')!.output[202]!, body)).toEqual([]);
  });

  it('is 409 when the run was cancelled', async () => {
    const usage = {
      ...{ steps: 0, toolCalls: 0, handoffs: 0, compactions: 0, imagesDropped: 0, inputTokens: 0 },
      ...{ outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costMicros: 0 },
      ...{ tokenBudget: null, treeTokens: 0, treeBudget: null },
    };
    const [route] = createAgents([behaviour('tidy', {}, () => null)]).routes;
    const context = {
      route,
      openRun: async () => ({ status: 'cancelled', runId: 'r1', path: ['tidy'], steps: [], usage }),
    };
    const error: unknown = await Promise.resolve(
      route?.engine.answer?.(context as unknown as EngineContext),
    ).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      ...{ status: 409, message: 'the run was cancelled' },
      members: { code: 'cancelled', run: { run_id: 'r1', status: 'cancelled' } },
    });
  });

  it('is asked for later by the route below its own', async () => {
    const { table, ask } = await openBehaviour(() => null);
    const route = table.get('get_behaviours_tidy_runs_by_run_id')!;
    expect(route).toMatchObject({ method: 'GET', path: '/behaviours/tidy/runs/{run_id}', tool: false });
    expect(Object.keys(route.output)).toEqual(['200', '202']);
    expect(await ask(route.name, { run_id: 'r7' })).toMatchObject({
      status: 404,
      body: { detail: 'tidy has no run r7' },
    });
  });

  it('reports steps to whoever listens', async () => {
    const { table } = await openBehaviour(() => null);
    expect(table.get('tidy')).toMatchObject({ progress: true, placement: 'owner' });
  });
});

describe('a behaviour as a tool', () => {
  it('gives an agent its value, and what it came to where it did not complete', async () => {
    const models = scriptedModel([{ calls: [{ name: 'count' }, { name: 'stop' }] }, 'Done.']);
    const desk = await openDesk(
      [
        agent('helper', { tools: ['count', 'stop'] }),
        behaviour('count', {}, () => ({ n: 3 })),
        behaviour('stop', {}, (ctx) => ctx.halt('enough')),
      ],
      models,
    );
    expect(await desk.run('helper', 'Count.')).toMatchObject({ status: 'completed', output: 'Done.' });
    expect(resultsOf(models.requests[1]!).map((text) => JSON.parse(text) as unknown)).toEqual([
      { n: 3 },
      { status: 'halted', output: { halted: true, reason: 'enough' } },
    ]);
  });

  it('fails inside a run without the steps that nobody reads there', async () => {
    const { models } = await openBehaviour(() => null);
    const desk = await openDesk(
      [
        behaviour('outer', { tools: ['inner'] }, (ctx) => ctx.run('inner')),
        behaviour('inner', {}, () => {
          throw new HTTPError(409, 'busy');
        }),
      ],
      models,
    );
    const response = await desk.ask('outer', {});
    expect(response).toMatchObject({ status: 409, body: { detail: 'tool inner failed with 409: busy' } });
  });

  it('is started by whoever may start it, over every door', async () => {
    const { start } = await openBehaviour(() => 'ran', { options: { exposeScopes: ['start'] } });
    for (const via of ['http', 'mcp', 'watcher'] as const) {
      expect((await start({}, { via })).status).toBe(200);
      expect((await start({}, { via, principal: { ...ann, scopes: [] } })).status).toBe(403);
    }
  });
});
