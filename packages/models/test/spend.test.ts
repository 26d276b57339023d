import type { ModelError, Spend } from '@waymark/contract/models';
import { verifies } from '@waymark/contract/testing';
import type { Simulator } from '@waymark/model-simulator';
import { describe, expect, it } from 'vitest';
import { models, pricing } from '../src/index.ts';
import { callsOf, formats, openDesk, result, tools, user } from './desk.ts';

/** What the simulator says that all its whole replies cost. */
function billed({
  requests,
}: Simulator): Pick<Spend, 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'> {
  const usages = requests.filter(({ outcome }) => outcome === 'replied').map(({ usage }) => usage!);
  const sum = (count: (usage: (typeof usages)[number]) => number) =>
    usages.reduce((total, usage) => total + count(usage), 0);
  return {
    inputTokens: sum((usage) => usage.inputTokens),
    outputTokens: sum((usage) => usage.outputTokens),
    cacheReadTokens: sum((usage) => usage.cacheReadTokens),
    cacheWriteTokens: sum((usage) => usage.cacheWriteTokens),
  };
}

function totalOf(spend: readonly Spend[]): ReturnType<typeof billed> {
  const sum = (count: (one: Spend) => number) => spend.reduce((total, one) => total + count(one), 0);
  return {
    inputTokens: sum((one) => one.inputTokens),
    outputTokens: sum((one) => one.outputTokens),
    cacheReadTokens: sum((one) => one.cacheReadTokens),
    cacheWriteTokens: sum((one) => one.cacheWriteTokens),
  };
}

describe.each(formats)('%s, the spend of many calls', (format) => {
  it('is what the provider bills, to the token, through failures, repairs and caches', async () => {
    const desk = await openDesk({
      declarations: [pricing(`${format}/m`, 3, 15, { cacheReadPerMtok: 0.3, cacheWritePerMtok: 3.75 })],
    });
    const spend: Spend[] = [];
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const questions = [
      { text: '[[size 1000]]' },
      { text: '[[error 503 times=2]] [[size 77]]' },
      { text: '[[error 429 times=1]] [[thinking well]] & [[call get_ticket {"id": 3}]]', tools },
      { text: '[[error 500]]' },
      { text: '[[say no]] [[json {"n": 3}]]', schema },
      { text: '[[say no]] [[say no, really]]', schema },
      { text: '[[refuse]]' },
      { text: `${'a long prompt '.repeat(600)} [[size 10]]` },
      { text: `${'a long prompt '.repeat(600)} [[size 10]]` },
      { text: '[[error 400]]' },
    ];
    for (const maxTokens of [1000, 16000])
      for (const question of questions) {
        const reply = await desk
          .ask({ ...question, model: `${format}/m`, maxTokens })
          .catch((error: ModelError) => error);
        spend.push(...reply.spend);
      }
    expect(totalOf(spend)).toEqual(billed(desk.simulator));
    expect(spend.every(({ estimated }) => !estimated)).toBe(true);
    expect(totalOf(spend).cacheReadTokens).toBeGreaterThan(1000);
    const cost = spend.map((one) => one.costMicros!);
    expect(cost.every(Number.isInteger)).toBe(true);
    expect(cost).toEqual(
      spend.map((one) =>
        Math.round(
          (one.inputTokens - one.cacheReadTokens - one.cacheWriteTokens) * 3 +
            one.cacheReadTokens * 0.3 +
            one.cacheWriteTokens * 3.75 +
            one.outputTokens * 15,
        ),
      ),
    );
  });

  it.each([
    ['input=1000 output=100', 1000 * 3 + 100 * 15],
    ['input=1000 output=100 cached=400', 600 * 3 + 400 * 0.5 + 100 * 15],
    ['input=1000 output=100 cached=400 written=100', 500 * 3 + 400 * 0.5 + 100 * 4 + 100 * 15],
    ['input=1 output=0', 3],
    ['input=0 output=0', 0],
  ])('costs by the declared prices: %s', async (usage, micros) => {
    verifies('declare.pricing', 'ledger.micros');
    const declarations = [pricing(`${format}/m`, 3, 15, { cacheReadPerMtok: 0.5, cacheWritePerMtok: 4 })];
    const desk = await openDesk({ declarations });
    const reply = await desk.ask({ model: `${format}/m`, text: `[[usage ${usage}]] [[say hi]]` });
    expect(reply.spend).toMatchObject([
      { provider: format, model: 'm', costMicros: micros, estimated: false },
    ]);
  });

  it('is 0 for cached tokens without a price of their own', async () => {
    verifies('declare.pricing.cache-read.default', 'declare.pricing.cache-write.default');
    const desk = await openDesk({ declarations: [pricing(`${format}/m`, 3, 15)] });
    const text = '[[usage input=1000 output=100 cached=400 written=100]] [[say hi]]';
    expect((await desk.ask({ model: `${format}/m`, text })).spend[0]?.costMicros).toBe(500 * 3 + 100 * 15);
  });

  it('is null without a price, never 0', async () => {
    verifies('declare.pricing.none-built-in', 'ledger.unpriced');
    const desk = await openDesk({ declarations: [pricing(`${format}/other`, 3, 15)] });
    const reply = await desk.ask({ model: `${format}/m`, text: '[[usage input=0 output=0]] [[say hi]]' });
    expect(reply.spend[0]?.costMicros).toBeNull();
  });

  it('is a whole number of micro-dollars whatever the price', async () => {
    const desk = await openDesk({ declarations: [pricing(`${format}/m`, 0.1, 0.2)] });
    const reply = await desk.ask({ model: `${format}/m`, text: '[[usage input=7 output=4]] [[say hi]]' });
    expect(reply.spend[0]?.costMicros).toBe(2);
  });

  it('is rounded as it is on paper: half a micro-dollar up', async () => {
    const desk = await openDesk({ declarations: [pricing(`${format}/m`, 0.145, 0)] });
    const text = '[[usage input=100 output=0]] [[say hi]]';
    expect((await desk.ask({ model: `${format}/m`, text })).spend[0]?.costMicros).toBe(15);
  });

  it.each([1000, 16000])(
    'is never less than nothing, whatever the provider counts, for %d tokens',
    async (maxTokens) => {
      const desk = await openDesk({ declarations: [pricing(`${format}/m`, 3, 15)] });
      const ask = (usage: string) =>
        desk.ask({ model: `${format}/m`, maxTokens, text: `[[usage ${usage}]] [[size 400]]` });
      const more = await ask('input=10 cached=9000');
      expect(more.spend[0]?.costMicros).toBe(format === 'openai' ? 1500 : 1500);
      expect((await ask('odd')).spend).toMatchObject([{ estimated: true }]);
    },
  );
});

describe('a price', () => {
  it('of an alias is that of its first model, and of a bare name that of any provider', async () => {
    const desk = await openDesk({
      declarations: [
        models({ smart: ['anthropic/m', 'openai/m'] }),
        pricing('smart', 1, 1),
        pricing('x', 2, 2),
      ],
    });
    const micros = async (model: string) =>
      (await desk.ask({ model, text: '[[usage input=5 output=5]] [[say hi]]' })).spend[0]?.costMicros;
    expect(
      await Promise.all(['smart', 'anthropic/m', 'openai/m', 'openai/x', 'anthropic/x'].map(micros)),
    ).toEqual([10, 10, null, 20, 20]);
  });
});

describe('what was spent on a failure', () => {
  it('is in the error: a reply that was not what was asked for has been paid', async () => {
    const desk = await openDesk();
    const text = '[[say no]] [[say no, really]]';
    const error = await desk.ask({ text, schema: { type: 'object' } }).catch((thrown: ModelError) => thrown);
    expect(error).toMatchObject({ reason: 'no_valid_answer', status: 502 });
    expect(totalOf(error.spend)).toEqual(billed(desk.simulator));
    expect(error.spend).toHaveLength(2);
  });
});

describe('the cache of a prompt', () => {
  const system = {
    role: 'system',
    parts: [{ type: 'text', text: 'You answer briefly. '.repeat(300) }],
  } as const;

  it('holds the prefix: the second call reads what the first wrote', async () => {
    const desk = await openDesk();
    const opening = user('[[call get_ticket {"id": 1}]] [[say done]]');
    const first = await desk.ask({ tools, messages: [system, opening] });
    const results = callsOf(first).map(({ id }) => result(id, 'it is open'));
    const second = await desk.ask({
      tools: tools.toReversed(),
      messages: [system, opening, first.message, { role: 'user', parts: results }],
    });
    const [before, after] = [first.spend[0]!, second.spend[0]!];
    expect([before.cacheReadTokens, before.cacheWriteTokens]).toEqual([0, before.inputTokens]);
    expect(after.cacheReadTokens).toBe(before.inputTokens);
    expect(after.cacheWriteTokens).toBe(after.inputTokens - before.inputTokens);
  });

  it('is not asked for where it is off', async () => {
    const desk = await openDesk();
    await desk.ask({ tools, cache: false, messages: [system, user('hi')] });
    expect(JSON.stringify(desk.simulator.requests[0]?.body)).not.toContain('cache_control');
  });

  it('is marked in four places: the last tool, the system text, the last two turns of the user', async () => {
    const desk = await openDesk();
    const said = { role: 'assistant', parts: [{ type: 'text', text: 'ok' }] } as const;
    await desk.ask({ tools, messages: [system, user('a'), said, user('b'), said, user('c', 'd')] });
    const body = desk.simulator.requests[0]?.body as {
      readonly tools: readonly object[];
      readonly system: readonly object[];
      readonly messages: readonly { readonly content: readonly object[] }[];
    };
    const marks = (blocks: readonly object[]) => blocks.map((block) => 'cache_control' in block);
    expect(body.tools.map((tool) => (tool as { name: string }).name)).toEqual(['add_note', 'get_ticket']);
    expect([marks(body.tools), marks(body.system)]).toEqual([[false, true], [true]]);
    expect(body.messages.map(({ content }) => marks(content))).toEqual([
      [false],
      [false],
      [true],
      [false],
      [false, true],
    ]);
  });
});
