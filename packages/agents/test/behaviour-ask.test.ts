import { Type } from '@waymark/contract';
import { type ModelClient, ModelError, type ModelReply, type Spend } from '@waymark/contract/models';
import { type ScriptedReply, scriptedModel, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type AskOptions, type BehaviourContext, type BehaviourOptions, behaviour } from '../src/index.ts';
import { openBehaviour } from './behaviour-desk.ts';
import { openDesk } from './desk/open-desk.ts';

const spend: Spend = {
  ...{ model: 'm', provider: 'p', inputTokens: 30, outputTokens: 4, cacheReadTokens: 0 },
  ...{ cacheWriteTokens: 0, costMicros: null, estimated: false },
};

function said(text: string, stop: ModelReply['stop'], value?: ModelReply['value']): ModelReply {
  const message = { role: 'assistant' as const, parts: [{ type: 'text' as const, text }] };
  return { message, stop, spend: [spend], ...(value !== undefined && { value }) };
}

/** One question, and what the model was asked. */
async function askOnce(
  options: AskOptions | undefined,
  declared: BehaviourOptions = {},
  reply: ScriptedReply = 'Yes.',
) {
  const desk = await openBehaviour((ctx) => ctx.ask('Well?', options), {
    options: declared,
    replies: [reply],
  });
  const value = await desk.value();
  const [request] = desk.models.requests;
  return { ...desk, value, request: request! };
}

/** The schema of a library: an object with an id. */
function library(validate: (value: unknown) => unknown) {
  const described = () => ({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] });
  return {
    '~standard': {
      ...{ version: 1, vendor: 'own', validate },
      jsonSchema: { input: described, output: described },
    },
  };
}

const failing = (ctx: BehaviourContext, options?: AskOptions) =>
  ctx.ask('Well?', options).catch((error: unknown) => {
    const { status, message, members } = error as ModelError;
    return [status, message, members.code ?? ''];
  });

describe('ctx.ask', () => {
  it('puts one prompt to the model of the behaviour and gives its answer', async () => {
    verifies('behaviour.ctx.ask', 'behaviour.ctx.ask.optional', 'behaviour.option.model');
    const { value, request } = await askOnce(undefined, { model: 'smart' });
    expect(value).toBe('Yes.');
    expect(request).toEqual({
      model: 'smart',
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'Well?' }] }],
      ...{ maxTokens: 16_000, cache: false },
    });
  });

  it('asks the alias default for 16,000 tokens and no temperature by default', async () => {
    verifies('behaviour.option.model.default', 'behaviour.option.max-tokens.default');
    verifies('behaviour.option.temperature.default');
    const { request } = await askOnce({});
    expect(request.model).toBe('default');
    expect(request.maxTokens).toBe(16_000);
    expect(request).not.toHaveProperty('temperature');
  });

  it('asks as the behaviour declares, and as the question says', async () => {
    const declared = { model: 'smart', maxTokens: 500, temperature: 0.5 };
    expect((await askOnce(undefined, declared)).request).toMatchObject(declared);
    const asked = { model: 'fast', maxTokens: 50, temperature: 0 };
    expect((await askOnce(asked, declared)).request).toMatchObject(asked);
  });

  it('says the system text first', async () => {
    const { request } = await askOnce({ system: 'Be brief.' });
    expect(request.messages.map(({ role, parts }) => [role, parts])).toEqual([
      ['system', [{ type: 'text', text: 'Be brief.' }]],
      ['user', [{ type: 'text', text: 'Well?' }]],
    ]);
  });

  it('gives the value under a schema', async () => {
    const schema = Type.Object({ ids: Type.Array(Type.Integer()) });
    const { value, request } = await askOnce({ schema }, {}, '{"ids":[1,2]}');
    expect(value).toEqual({ ids: [1, 2] });
    expect(request.schema).toBe(schema);
  });

  it('gives a value that is false, or null', async () => {
    expect((await askOnce({ schema: Type.Boolean() }, {}, 'false')).value).toBe(false);
    expect((await askOnce({ schema: Type.Null() }, {}, 'null')).value).toBeNull();
  });

  it.each([
    ['whatever it is asked', () => true],
    [
      'for what is an answer',
      (value: unknown) => typeof value === 'object' && value !== null && 'id' in value,
    ],
  ])('refuses a schema that waits %s before anything is paid for', async (_, isAsked) => {
    const schema = library((value) => (isAsked(value) ? Promise.resolve({ value }) : { issues: [] }));
    const { value, models, runner } = await openBehaviour((ctx) =>
      ctx.ask('Well?', { schema }).catch(String),
    );
    expect(await value()).toBe(
      'TypeError: the schema of a question must not wait: it is asked again whenever the run goes on',
    );
    expect(models.requests).toEqual([]);
    expect(runner.journal.rows).toEqual([]);
  });

  it('takes a schema whose code does not expect what no model said', async () => {
    const schema = library((value) => ({ value: JSON.parse((value as { id: string }).id) as unknown }));
    const { value } = await openBehaviour((ctx) => ctx.ask('Well?', { schema }), {
      replies: [said('', 'end', { id: '[1]' })],
    });
    expect(await value()).toEqual([1]);
  });

  it('is one step and one row of what was spent', async () => {
    const { runner } = await askOnce({});
    expect(runner.journal.rows).toMatchObject([{ kind: 'ask', input: { prompt: 'Well?' }, spend: [{}] }]);
  });

  it.each([
    [said('I must not.', 'refusal'), undefined, 'I must not.'],
    [said('', 'refusal'), undefined, [502, 'the model refused to answer', 'refusal']],
    [
      said('I must not.', 'refusal'),
      { schema: Type.Boolean() },
      [502, 'the model refused to answer', 'refusal'],
    ],
    [said(' ', 'end'), undefined, [502, 'the model gave no answer', 'no_valid_answer']],
    [said('Half a', 'max_tokens'), undefined, [502, 'the answer was cut off at 16000 tokens', 'max_tokens']],
    [
      said('{"a', 'max_tokens'),
      { maxTokens: 3, schema: {} },
      [502, 'the answer was cut off at 3 tokens', 'max_tokens'],
    ],
    [
      new ModelError('provider "p" is slow', {
        reason: 'timeout',
        provider: 'p',
        model: 'm',
        spend: [spend],
      }),
      undefined,
      [504, 'provider "p" is slow', 'timeout'],
    ],
  ])('of %o is what can be used of it', async (reply, options, expected) => {
    const { value, runner } = await openBehaviour((ctx) => failing(ctx, options), { replies: [reply] });
    expect(await value()).toEqual(expected);
    // It is paid, whatever it was worth.
    expect(runner.journal.rows[0]?.spend).toEqual([spend]);
  });

  it('fails the run with the status of the model where nobody catches it', async () => {
    const error = new ModelError('provider "p" is down', {
      reason: 'unavailable',
      provider: 'p',
      model: 'm',
    });
    const { start } = await openBehaviour((ctx) => ctx.ask('Well?'), { replies: [error] });
    const response = await start();
    expect(response).toMatchObject({
      status: 502,
      body: { detail: 'provider "p" is down', code: 'unavailable' },
    });
  });

  it('refuses a prompt that is no text', async () => {
    const { value, models } = await openBehaviour((ctx) => ctx.ask(5 as never).catch(String));
    expect(await value()).toBe('TypeError: a prompt is a text');
    expect(models.requests).toEqual([]);
  });
});

describe('a behaviour with a budget', () => {
  const budget = { tokenBudget: 200, maxTokens: 100 };

  it('asks for no more than is left, and lets all attempts use no more', async () => {
    const { request, runner } = await askOnce({ maxTokens: 5_000 }, { tokenBudget: 1_000 });
    expect(request.maxTokens).toBeLessThan(1_000);
    expect(request.maxTokens).toBeGreaterThan(500);
    expect(runner.specs[0]?.tokenBudget).toBe(1_000);
  });

  it.each([
    [{ tokenBudget: 5_000, maxTokens: 100 }, 100],
    [{ maxTokens: 100 }, undefined],
  ])('with %o lets all attempts at an answer use %s beyond the question', async (options, room) => {
    const scripted = scriptedModel(['Yes.']);
    const budgets: (number | undefined)[] = [];
    const models: ModelClient = {
      ...scripted,
      complete(request, given) {
        budgets.push(given.tokenBudget && given.tokenBudget - scripted.estimateTokens(request));
        return scripted.complete(request, given);
      },
    };
    const desk = await openDesk([behaviour('tidy', options, (ctx) => ctx.ask('Well?'))], models);
    await desk.run('tidy', {});
    expect(budgets).toEqual([room]);
  });

  it('has none by default', async () => {
    verifies('behaviour.option.token-budget.default');
    const { runner, request } = await askOnce({});
    expect(runner.specs[0]?.tokenBudget).toBeNull();
    expect(request.maxTokens).toBe(16_000);
  });

  it('ends halted when it is used up, whatever is caught', async () => {
    verifies('behaviour.route.halted');
    let caught = 0;
    const { value, models } = await openBehaviour(
      async (ctx) => {
        for (let i = 0; i < 9; i++)
          try {
            await ctx.ask('Well?');
          } catch {
            caught++;
          }
        return 'done';
      },
      { options: budget, replies: Array<ScriptedReply>(9).fill(said('Hm.', 'end')) },
    );
    expect(await value()).toEqual({ halted: true, reason: 'the token budget is used up' });
    expect(models.requests.length).toBeGreaterThan(1);
    expect(models.requests.length).toBeLessThan(9);
    expect(caught).toBe(0);
  });

  it('ends so, too, when an answer was cut off because of it', async () => {
    const { value, runner } = await openBehaviour((ctx) => ctx.ask('Well?'), {
      options: { tokenBudget: 200 },
      replies: [said('Half a', 'max_tokens')],
    });
    expect(await value()).toEqual({ halted: true, reason: 'the token budget is used up' });
    expect(runner.journal.rows[0]?.spend).toEqual([spend]);
  });

  it('pays from it for what it calls', async () => {
    const { value } = await openBehaviour(
      async (ctx) => {
        await ctx.run('inner').catch(() => null);
        return ctx.ask('Well?');
      },
      {
        options: { tokenBudget: 300, maxTokens: 50, tools: ['inner'] },
        others: [behaviour('inner', { maxTokens: 50 }, (ctx) => ctx.ask('Tell.'))],
        replies: [{ ...said('A story.', 'end'), spend: [{ ...spend, outputTokens: 260 }] }, 'Never.'],
      },
    );
    expect(await value()).toEqual({ halted: true, reason: 'the token budget is used up' });
  });
});

describe('ctx.askMany', () => {
  /** Answers later, each prompt by its own word; tells what was under way. */
  async function openSlow(count: number, options: object | undefined) {
    let under = 0;
    let most = 0;
    const scripted = scriptedModel([]);
    const begun: string[] = [];
    const models = {
      ...scripted,
      async complete(request: Parameters<typeof scripted.complete>[0]) {
        const part = request.messages.at(-1)?.parts[0];
        const text = part?.type === 'text' ? part.text : '';
        begun.push(text);
        most = Math.max(most, ++under);
        for (let i = 0; i < 1 + (begun.length % 3); i++) await new Promise(setImmediate);
        under--;
        if (text === 'q3')
          throw new ModelError('no q3', { reason: 'rejected', provider: 'p', model: 'm', spend: [spend] });
        if (text === 'q5')
          throw new ModelError('no q5', { reason: 'rejected', provider: 'p', model: 'm', spend: [spend] });
        return said(`a${text.slice(1)}`, 'end');
      },
    };
    const prompts = Array.from({ length: count }, (_, n) => `q${n}`);
    const body = (ctx: BehaviourContext) =>
      (options === undefined ? ctx.askMany(prompts) : ctx.askMany(prompts, options)).catch(String);
    const desk = await openDesk([behaviour('tidy', { maxSteps: 100 }, body)], models);
    const answer = (await desk.run('tidy', {})) as unknown;
    return { answer, most, begun, rows: desk.runner.journal.rows };
  }

  it('gives the answers in the order of the prompts', async () => {
    verifies('behaviour.ctx.ask-many', 'behaviour.ask-many.order');
    expect((await openSlow(3, {})).answer).toEqual(['a0', 'a1', 'a2']);
    expect((await openSlow(0, {})).answer).toEqual([]);
  });

  it('asks all and charges all, and then throws the failure that stands first', async () => {
    verifies('behaviour.ask-many.charged');
    const { answer, rows } = await openSlow(8, {});
    expect(answer).toBe('HTTPError: no q3');
    expect(rows).toHaveLength(8);
    expect(rows.flatMap((row) => row.spend)).toHaveLength(8);
  });

  it.each([
    [{ concurrency: 1 }, 3, 1],
    [{ concurrency: 2 }, 3, 2],
    [{ concurrency: 9 }, 3, 3],
    [{ concurrency: 1_000 }, 80, 64],
  ])('with %o has of %i at most %i under way', async (options, count, most) => {
    verifies('behaviour.ctx.ask-many.concurrency');
    const slow = await openSlow(count, options);
    expect(slow.most).toBe(most);
    expect(slow.begun).toEqual(Array.from({ length: count }, (_, n) => `q${n}`));
  });

  it.each([
    [7, 7],
    [8, 8],
    [9, 8],
  ])('has of %i at most %i under way by default', async (count, most) => {
    verifies('behaviour.ctx.ask-many.concurrency.default', 'limit.ask-many');
    expect((await openSlow(count, undefined)).most).toBe(most);
  });

  it.each([0, -1, 1.5, Number.NaN])('asks nothing with a concurrency of %d', async (concurrency) => {
    const { answer, begun } = await openSlow(3, { concurrency });
    expect(answer).toBe('TypeError: the concurrency of askMany is a whole number from 1 on');
    expect(begun).toEqual([]);
  });

  it('asks each question alike', async () => {
    const { value, models } = await openBehaviour(
      (ctx) => ctx.askMany(['a', 'b'], { schema: Type.Integer(), system: 'Count.', model: 'fast' }),
      { replies: ['1', '2'] },
    );
    expect(await value()).toEqual([1, 2]);
    for (const request of models.requests)
      expect(request).toMatchObject({ model: 'fast', messages: [{ role: 'system' }, { role: 'user' }] });
  });
});
