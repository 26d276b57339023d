import { describe, expect, it } from 'vitest';
import { type BehaviourContext, behaviour, createAgents } from '../src/index.ts';
import { openBehaviour } from './behaviour-desk.ts';

/** What a program without types may write. */
type Untyped = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

/** What comes of a step, its error as text. */
async function outcome(wrong: (ctx: Untyped) => Promise<unknown>) {
  const { value, models, tools } = await openBehaviour(async (ctx) => {
    try {
      return await wrong(ctx as unknown as Untyped);
    } catch (error) {
      return String(error);
    }
  });
  return { value: await value(), asked: models.requests.length, done: tools.done };
}

describe('what ctx is given and cannot use', () => {
  const names: readonly (readonly [unknown])[] = [
    [undefined],
    [null],
    [5],
    [{}],
    ['\ud800'],
    ['a\0b'],
    [Symbol('x')],
  ];

  it.each(names)('is refused where it is no name: %o', async (name) => {
    const refused = (what: string) => `TypeError: the name of a ${what} is a text`;
    expect((await outcome((ctx) => ctx['call']?.(name) as never)).value).toBe(refused('tool'));
    expect((await outcome((ctx) => ctx['run']?.(name) as never)).value).toBe(refused('tool'));
    expect((await outcome((ctx) => ctx['context']?.(name) as never)).value).toBe(refused('context'));
  });

  it.each([
    [null, 'the options are not an object'],
    [{ model: null }, 'model is not a text'],
    [{ model: 'a\0b' }, 'the name of a model is a text'],
    [{ system: 5 }, 'system is not a text'],
    [{ schema: 'text' }, 'schema is not an object'],
    [{ schema: null }, 'schema is not an object'],
    [{ maxTokens: '12' }, 'maxTokens is not a number'],
    [{ maxTokens: 0 }, 'maxTokens is not a whole number from 1 to 1,000,000'],
    [{ maxTokens: Number.NaN }, 'maxTokens is not a whole number from 1 to 1,000,000'],
    [{ temperature: 9 }, 'temperature is not a number from 0 to 2'],
    [{ max_tokens: 12 }, 'unknown option "max_tokens"'],
    [{ images: [] }, 'unknown option "images"'],
  ])('is refused before anything is asked where it is no option: %o', async (options, rule) => {
    const refused = { value: `TypeError: ${rule}`, asked: 0 };
    expect(await outcome((ctx) => ctx['ask']?.('Well?', options) as never)).toMatchObject(refused);
    expect(await outcome((ctx) => ctx['askMany']?.(['Well?'], options) as never)).toMatchObject(refused);
  });

  it.each([['hey'], [{}], [null], [['Well?', undefined]], [[5]], [new Array(2)]])(
    'is refused where it is no list of prompts: %o',
    async (prompts) => {
      const refused = { value: 'TypeError: prompts are a list of texts', asked: 0 };
      expect(await outcome((ctx) => ctx['askMany']?.(prompts) as never)).toMatchObject(refused);
    },
  );

  it.each([['look'], [{}], [null], [['look', 5]], [Object.assign(['look'], { length: 2 })]])(
    'is refused where it is no list of items: %o',
    async (items) => {
      const { value, done } = await outcome((ctx) => ctx['gather']?.(items) as never);
      expect(value).toMatch(/^TypeError: (an item|items) of gather (is|are) a/);
      expect(done).toEqual([]);
    },
  );

  it('is refused where an option of gather is none', async () => {
    const { value } = await outcome((ctx) => ctx['gather']?.(['look'], { return_exceptions: true }) as never);
    expect(value).toBe('TypeError: unknown option "return_exceptions"');
  });
});

describe('what ctx shows', () => {
  it.each<readonly [string, (ctx: BehaviourContext) => readonly unknown[]]>([
    ['tools', ({ tools }) => tools],
    ['contexts', ({ contexts }) => contexts],
    ['scopes', ({ user }) => user.scopes],
  ])('cannot be added to: %s', async (_, listOf) => {
    const { value } = await openBehaviour((ctx) => {
      const before = listOf(ctx).length;
      try {
        (listOf(ctx) as unknown[]).push('svc:admin');
      } catch {
        // Whether it throws is no promise.
      }
      return listOf(ctx).length - before;
    });
    expect([await value(), await value()]).toEqual([0, 0]);
  });

  it('is not changed by whoever reads the trace', async () => {
    const { value } = await openBehaviour((ctx) => {
      ctx.log('said');
      try {
        Object.assign(ctx.trace[0] ?? {}, { message: 'never said' });
      } catch {
        // Whether it throws is no promise.
      }
      return ctx.trace;
    });
    expect(await value()).toEqual([{ kind: 'log', message: 'said' }]);
  });
});

describe('the trace of a function that has ended', () => {
  it('is what it was at the end, whatever code behind it does', async () => {
    let behind: BehaviourContext | undefined;
    const { value } = await openBehaviour((ctx) => {
      behind = ctx;
      ctx.log('said');
      return 'done';
    });
    expect(await value()).toBe('done');
    await behind?.call('nobody').catch(() => {});
    expect(behind?.trace).toEqual([{ kind: 'log', message: 'said' }]);
  });
});

describe('a function that would never run', () => {
  it.each([
    ['generator', function* tidy() {}],
    ['generator', async function* tidy() {}],
  ])('is no behaviour: a %s', (_, body) => {
    const { check } = createAgents([behaviour('tidy', { public: true }, body)]);
    const problems = check?.({ table: { tools: () => [] }, env: () => undefined } as never);
    expect(problems).toMatchObject([
      { code: 'behaviour-body', rule: 'its function is a generator, which runs nothing when it is called' },
    ]);
  });
});
