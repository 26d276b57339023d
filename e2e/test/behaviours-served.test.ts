import { type Json, Type } from '@waymark/contract';
import { validateValue } from '@waymark/contract/schema';
import { verifies } from '@waymark/contract/testing';
import type { Application } from '@waymark/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startThinking, type ThinkingApplication, thinking } from './agents-application.ts';

const scopes = ['read'];

/** Tools of a shop. */
function tools(app: Application): Application {
  return app
    .get('/lamps', { tool: true, toolName: 'list_lamps', scopes, summary: 'Lists lamps.' }, () => [{ id: 7 }])
    .post(
      '/refund',
      {
        tool: true,
        toolName: 'refund',
        approval: 'required',
        summary: 'Pays back.',
        input: { cents: Type.Integer() },
      },
      ({ cents }) => ({ refunded: cents }),
    );
}

const open = (declare: (app: Application) => void): Promise<ThinkingApplication> =>
  thinking((app) => declare(tools(app)));

const run = async ({ send }: ThinkingApplication, name: string, input: Json = {}) => {
  const { status, text } = await send(`/behaviours/${name}`, input);
  return { status, value: JSON.parse(text) as Json };
};

/** One call of a tool over MCP. */
async function call({ send }: ThinkingApplication, method: string, params: Json = {}) {
  const { text } = await send('/_svc/mcp', { jsonrpc: '2.0', id: 1, method, params }, 'ANN_KEY', {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  });
  const line = text.startsWith('{') ? text : (/^data: (\{.*"id":1.*)$/m.exec(text)?.[1] ?? '');
  return (JSON.parse(line) as { readonly result: { readonly [member: string]: Json } }).result;
}

describe('a behaviour over HTTP', () => {
  it('takes its body as input and answers the bare value of its function', async () => {
    verifies(
      'behaviour.route.body',
      'behaviour.route.answer',
      'face.methods.behaviour',
      'purpose.hosts.behaviours',
    );
    verifies('endpoint.behaviour.path', 'behaviour.option.input', 'face.behaviour.name');
    const app = await open((app) => {
      async function countLamps(ctx: { call(tool: string): Promise<unknown> }) {
        return ((await ctx.call('list_lamps')) as unknown[]).length;
      }
      app.behaviour({ tools: ['list_lamps'], scopes }, countLamps);
      app.behaviour(
        { scopes, exposeAt: '/twice', input: { n: Type.Integer({ default: 2 }) } },
        function twice(_, { n }) {
          return { twice: n * 2 };
        },
      );
      app.behaviour(function anything(_, input) {
        return input;
      });
    });
    expect(await run(app, 'countLamps')).toEqual({ status: 200, value: 1 });
    expect((await app.send('/twice', { n: 5 })).value).toEqual({ twice: 10 });
    expect((await app.send('/twice', {})).value).toEqual({ twice: 4 });
    expect(await app.send('/twice', { n: 'x' })).toMatchObject({
      status: 422,
      value: { detail: '/n must be integer' },
    });
    expect(await run(app, 'anything', { any: ['thing'] })).toEqual({
      status: 200,
      value: { any: ['thing'] },
    });
    expect((await app.send('/behaviours/anything', [1])).status).toBe(422);
  });

  it('waits for a human behind a place that it names, and answers the bare value there', async () => {
    verifies('behaviour.route.waiting', 'run.waits.behaviour');
    const app = await open((app) =>
      app.behaviour('pay', { tools: ['refund'], scopes }, (ctx) => ctx.call('refund', { cents: 500 })),
    );
    const waiting = await app.send('/behaviours/pay', {});
    expect(waiting).toMatchObject({
      status: 202,
      value: {
        ...{ behaviour: 'pay', status: 'awaiting_approval', path: ['pay'] },
        pending_approvals: [{ tool: 'refund', arguments: { cents: 500 }, agent: 'pay' }],
      },
    });
    const { run_id: runId, pending_approvals: [approval] = [] } = waiting.value;
    const place = `/behaviours/pay/runs/${runId}`;
    expect((await app.send(place)).status).toBe(202);
    expect((await app.send(place, undefined, 'BEN_KEY')).status).toBe(404);
    await app.send(`/_svc/approvals/${approval?.approval_id}`, { approve: true });
    expect(await app.send(place)).toMatchObject({ status: 200, value: { refunded: 500 } });
  });

  it('streams its steps, and its answer last', async () => {
    const app = await open((app) =>
      app.behaviour('look', { tools: ['list_lamps'], scopes }, async (ctx) => {
        await ctx.call('list_lamps');
        return ctx.ask('[[say Seven.]]');
      }),
    );
    const { text } = await app.send('/behaviours/look', {}, 'ANN_KEY', { accept: 'text/event-stream' });
    const events = [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(
      ([, event, data]) => [event, JSON.parse(data ?? '') as { kind?: string; body?: Json }] as const,
    );
    expect(events.map(([event, data]) => data.kind ?? event)).toEqual([
      'run',
      'tool_call',
      'model',
      'result',
    ]);
    expect(events.at(-1)?.[1]).toMatchObject({ status: 200, body: 'Seven.' });
  });

  it('says that it was halted, or why it failed, with the run', async () => {
    verifies('behaviour.route.halted', 'behaviour.route.http-error');
    const app = await open((app) => {
      app.behaviour('stop', { scopes }, (ctx) => ctx.halt('nothing stale'));
      app.behaviour('once', { scopes, tools: ['list_lamps'], maxSteps: 1 }, async (ctx) => {
        for (;;) await ctx.call('list_lamps').catch(() => null);
      });
      app.behaviour('bug', { scopes }, () => {
        throw new Error('a secret');
      });
    });
    expect(await run(app, 'stop')).toEqual({ status: 200, value: { halted: true, reason: 'nothing stale' } });
    expect(await run(app, 'once')).toEqual({
      status: 200,
      value: { halted: true, reason: 'the limit of 1 steps is reached' },
    });
    const failed = await app.send('/behaviours/bug', {});
    expect(failed).toMatchObject({
      status: 500,
      value: { detail: 'internal error', run: { behaviour: 'bug', status: 'failed', steps: [] } },
    });
    expect(failed.text).not.toContain('secret');
  });

  it('is listed, with the names of the option table', async () => {
    verifies('control.behaviours', 'listing.behaviours.members');
    const app = await open((app) => {
      app.behaviour('tidy', { scopes, description: 'Tidies.' }, () => null);
      app.behaviour('dim', { scopes, tool: false, input: { lamp: Type.Integer() } }, () => null);
    });
    expect((await app.send('/_svc/behaviours')).value).toEqual({
      behaviours: [
        {
          ...{ name: 'tidy', description: 'Tidies.', tools: [], context: [], scopes, expose_scopes: scopes },
          ...{ max_steps: 50, token_budget: null, model: 'default', max_tokens: 16_000, temperature: null },
          ...{ expose_at: '/behaviours/tidy', tool: true, input_schema: null, public: false },
        },
        expect.objectContaining({
          name: 'dim',
          input_schema: {
            type: 'object',
            properties: { lamp: { type: 'integer' } },
            required: ['lamp'],
            additionalProperties: false,
          },
        }),
      ],
    });
  });
});

describe('a behaviour over MCP', () => {
  it('is a tool whose answer is an object, whatever its value is', async () => {
    const app = await open((app) => {
      app.behaviour('text', { scopes, description: 'Gives a text.' }, () => 'a text');
      app.behaviour('list', { scopes, description: 'Gives a list.' }, () => [1, 2]);
      app.behaviour('map', { scopes, description: 'Gives a map.' }, () => ({ a: 1 }));
      app.behaviour('stop', { scopes, description: 'Stops.' }, (ctx) => ctx.halt('enough'));
      app.behaviour('pay', { scopes, description: 'Pays.', tools: ['refund'] }, (ctx) =>
        ctx.call('refund', { cents: 5 }),
      );
    });
    const { tools: listed } = await call(app, 'tools/list');
    const schemas = new Map(
      (listed as unknown as { name: string; outputSchema: object }[]).map((one) => [
        one.name,
        one.outputSchema,
      ]),
    );
    expect(schemas.get('text')).toMatchObject({ type: 'object', required: ['result'] });
    const results: Record<string, Json> = {
      text: 'a text',
      list: [1, 2],
      map: { a: 1 },
      stop: { halted: true, reason: 'enough' },
    };
    for (const [name, result] of Object.entries(results)) {
      const answer = await call(app, 'tools/call', { name, arguments: {} });
      expect(answer).toMatchObject({ isError: false, structuredContent: { result } });
      expect(validateValue(schemas.get(name)!, answer['structuredContent'])).toEqual([]);
    }
    const waiting = await call(app, 'tools/call', { name: 'pay', arguments: {} });
    expect(waiting['isError']).toBe(false);
    const [item] = waiting['content'] as unknown as [{ text: string }];
    expect(JSON.parse(item.text)).toMatchObject({ status: 'awaiting_approval', behaviour: 'pay' });
    expect(validateValue(schemas.get('pay')!, waiting['structuredContent'])).toEqual([]);
  });
});

const schema = Type.Object({ ids: Type.Array(Type.Integer()) });
const asked = { scopes, input: { prompts: Type.Array(Type.String()), model: Type.String() } };

describe.each(['anthropic', 'openai'] as const)('a question to a model of the format %s', (format) => {
  let app: ThinkingApplication;
  beforeAll(async () => {
    app = await startThinking(
      (one) => {
        one.behaviour('ask', asked, (ctx, { prompts, model }) =>
          ctx.ask(prompts[0] ?? '', { schema, model }),
        );
        one.behaviour('many', asked, async (ctx, { prompts, model }) => {
          const answers = await ctx.askMany(prompts, { model }).catch(String);
          return { answers, usage: ctx.usage };
        });
      },
      { format },
    );
  });
  afterAll(() => app.close());

  /** What is learned of one model is not known of another. @returns the answer, and what the models were asked */
  async function ask(behaviour: string, ...prompts: readonly string[]) {
    const model = `simulator/${behaviour}-${app.simulator.requests.length}`;
    const before = app.simulator.requests.length;
    const answer = await run(app, behaviour, { prompts, model });
    return { answer, requests: app.simulator.requests.slice(before) };
  }

  it.each([
    ['as the provider can do it', '', 'json_schema'],
    ['by a forced tool', '[[quirk refuse_response_format]]', 'tool_choice'],
    ['out of its words', '[[quirk refuse_response_format ignore_tool_choice]]', 'tool_choice'],
    ['out of a fence around it', '[[quirk fenced_json]]', 'json_schema'],
  ])('is answered under a schema %s', async (_, quirk, means) => {
    verifies('behaviour.ask.ways', 'behaviour.ctx.ask.schema');
    const { answer, requests } = await ask('ask', `${quirk}[[json {"ids":[1,2]}]][[repeat]]`);
    expect(answer).toEqual({ status: 200, value: { ids: [1, 2] } });
    expect(JSON.stringify(requests.at(-1)?.body)).toContain(means);
  });

  it('is put once more when the answer does not conform, and no more often', async () => {
    verifies('behaviour.ask.repair');
    const repaired = await ask('ask', '[[json {"ids":"none"}]][[json {"ids":[3]}]]');
    expect(repaired.answer).toEqual({ status: 200, value: { ids: [3] } });
    expect(repaired.requests).toHaveLength(2);
    const useless = await ask('ask', '[[json {"ids":"none"}]][[repeat]]');
    expect(useless.answer).toMatchObject({ status: 502, value: { code: 'no_valid_answer' } });
    expect(useless.requests).toHaveLength(2);
  });

  it('is charged for each of many, whatever comes of one', async () => {
    verifies('behaviour.ask-many.charged', 'behaviour.ask-many.order');
    const all = await ask('many', '[[say one]]', '[[say two]]', '[[say three]]');
    expect(all.answer).toMatchObject({ status: 200, value: { answers: ['one', 'two', 'three'] } });
    const some = await ask('many', '[[say one]]', '[[stop length]]', '[[say three]]');
    expect(some.answer).toMatchObject({
      value: { answers: 'HTTPError: the answer was cut off at 16000 tokens' },
    });
    for (const { answer, requests } of [all, some]) {
      const tokens = requests.map(({ usage }) => usage?.inputTokens ?? 0).reduce((sum, one) => sum + one, 0);
      expect(requests).toHaveLength(3);
      expect(answer.value).toMatchObject({ usage: { steps: 3, input_tokens: tokens } });
    }
  });
});

describe('a behaviour with a budget', () => {
  it('pays from it for the agents it runs, and ends when they have used it up', async () => {
    verifies('behaviour.option.token-budget', 'behaviour.route.halted');
    const app = await open((app) => {
      app.agent('writer', { scopes, maxTokens: 4_000 });
      app.behaviour('ask', { scopes, tools: ['writer'], tokenBudget: 2_000, maxTokens: 500 }, async (ctx) => {
        const tokens: number[] = [];
        for (;;) {
          await ctx.run('writer', { input: '[[size 3000]]' }).catch(() => null);
          tokens.push(ctx.usage.tree_tokens);
          await ctx.ask('[[say Hm.]]');
        }
      });
    });
    expect(await run(app, 'ask')).toEqual({
      status: 200,
      value: { halted: true, reason: 'the token budget is used up' },
    });
    const used = app.simulator.requests.flatMap(({ usage }) => usage ?? []);
    const tokens = used.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
    expect(tokens).toBeGreaterThan(1_000);
    expect(tokens).toBeLessThanOrEqual(2_100);
  });
});
