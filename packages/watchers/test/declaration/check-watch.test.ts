import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { checkWatches } from '../../src/declaration/check-watch.ts';
import { principalOf, toSettings } from '../../src/declaration/watch-settings.ts';
import { type WatchOptions, watch, watcherToday } from '../../src/index.ts';

const named = { device: 'door', agent: 'guard' };
const codesOf = (options: object, name: unknown = 'yard') =>
  checkWatches([watch(name as string, { ...named, ...options })]).problems.map(({ code }) => code);

describe('watch', () => {
  it('returns data, with the place of the call', () => {
    const declaration = watch('yard', named);
    expect(declaration).toEqual({
      kind: 'watch',
      name: 'yard',
      options: named,
      declaredAt: expect.stringMatching(/check-watch\.test\.ts:\d+$/) as string,
    });
    expect(watch('yard', { ...named, declaredAt: 'app.ts:7' })).toMatchObject({
      declaredAt: 'app.ts:7',
      options: named,
    });
  });

  it('has the defaults of the decisions', () => {
    verifies('watcher.every.default', 'watcher.max-runs.default');
    expect(toSettings(watch('yard', named))).toMatchObject({
      ...{ every: 10, everyMs: 10_000, maxRunsPerHour: 60, maxCostPerDay: null, onlyOnChange: true },
      ...{ scopes: [], webhook: null, input: 'This is what "door" shows now.' },
    });
  });
});

describe('checkWatches', () => {
  it('finds nothing wrong with what is right', () => {
    const options: Partial<WatchOptions> = {
      ...{ input: 'Who?', every: 5, scopes: ['a:b'], maxRunsPerHour: 60, maxCostPerDay: 1.5 },
      ...{ onlyOnChange: false, webhook: 'https://a.example.com' },
      ...{ webhookBearerEnv: 'A', webhookSecretEnv: 'B' },
    };
    const { sound, problems } = checkWatches([watch('yard', { ...named, ...options })]);
    expect([sound.length, problems]).toEqual([1, []]);
  });

  it.each<[keyof WatchOptions, number, boolean]>([
    ['every', 0.099, false],
    ['every', 0.1, true],
    ['every', 86_400, true],
    ['every', 86_401, false],
    ['every', Number.NaN, false],
    ['maxRunsPerHour', 0, false],
    ['maxRunsPerHour', 1, true],
    ['maxRunsPerHour', 1.5, false],
    ['maxRunsPerHour', 36_000, true],
    ['maxRunsPerHour', 36_001, false],
    ['maxCostPerDay', 0, false],
    ['maxCostPerDay', 0.01, true],
    ['maxCostPerDay', 1_000_000, true],
    ['maxCostPerDay', 1_000_001, false],
  ])('holds %s of %d to its range', (option, value, isWithin) => {
    verifies('watcher.every.minimum');
    expect(codesOf({ [option]: value })).toEqual(isWithin ? [] : ['watch-range']);
  });

  it.each<[object, string]>([
    [{ evry: 5 }, 'unknown-option'],
    [{ every: '5' }, 'option-type'],
    [{ device: '' }, 'watch-incomplete'],
    [{ agent: undefined }, 'watch-incomplete'],
    [{ scopes: 'a b' }, 'scope-form'],
    [{ input: ' ' }, 'watch-input'],
    [{ webhookSecretEnv: 'B' }, 'watch-webhook'],
  ])('finds what is wrong with %j', (options, code) => {
    expect(codesOf(options)).toEqual([code]);
  });

  it.each([['y'.repeat(54)], ['a-b_c9']])('takes the name %s', (name) => {
    expect(codesOf({}, name)).toEqual([]);
  });

  it.each([[''], ['9a'], ['a b'], ['y'.repeat(55)], [null], [{}]])('takes no %j for a name', (name) => {
    expect(codesOf({}, name)).toEqual(['watch-name']);
  });

  it('serves the first of two that are called the same', () => {
    const { sound, problems } = checkWatches([watch('yard', named), watch('yard', named)]);
    expect([sound.length, problems.map(({ code }) => code)]).toEqual([1, ['watch-taken']]);
  });

  it('says nothing of a URL', () => {
    const problems = checkWatches([
      watch('yard', { ...named, webhook: 7 as never, every: 0 }),
      watch('gate', { ...named, webhook: 'https://a.example.com/secret', every: 0 }),
    ]).problems;
    expect(problems).toHaveLength(3);
    expect(JSON.stringify(problems)).not.toContain('secret');
  });
});

describe('watcherToday', () => {
  const declared = [watch('yard', { ...named, scopes: ['a'] })];

  it('knows the scopes of a watcher that is declared, and which are gone', () => {
    const caller = (name: string) => principalOf({ name, scopes: ['a', 'b'] });
    expect(watcherToday(caller('yard'), declared)).toEqual({ declared: true, scopes: ['a'] });
    expect(watcherToday(caller('gate'), declared)).toEqual({ declared: false });
    expect(watcherToday(caller('yard'), [])).toEqual({ declared: false });
  });

  it('says nothing of other callers', () => {
    expect(watcherToday({ id: 'shop', authenticated: true }, declared)).toBeUndefined();
    expect(watcherToday({ id: 'watcher:yard', authenticated: false }, declared)).toBeUndefined();
  });
});
