import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import type { Method } from '../../src/route/route.ts';
import { type EngineRouteOptions, toRoute } from '../../src/route/to-route.ts';

function problemsOf(options: object, method: Method = 'GET', durability?: 'transaction' | 'run'): string[] {
  const engine = { kind: 'handler', answer: () => 1, ...(durability && { durability }) } as const;
  // As a program without types may write it.
  const { problems } = toRoute(method, '/maps', engine, { ...(options as EngineRouteOptions) });
  return problems.map(({ code, rule, nearest }) => `${code}: ${rule}${nearest ? ` (${nearest})` : ''}`);
}

describe('retry of a route', () => {
  it.each([1, 2, 10])('may be %i attempts', (attempts) => {
    verifies('run.retry.declared');
    expect(problemsOf({ retry: { attempts } })).toEqual([]);
  });

  it.each([0, 11, -1, 2.5, Number.NaN, Number.POSITIVE_INFINITY])('is not %d attempts', (attempts) => {
    verifies('run.retry.declared');
    const rule = 'retry-range: retry.attempts is not a whole number from 1 to 10';
    expect(problemsOf({ retry: { attempts } })).toEqual([rule]);
  });

  it.each([
    [0, 1],
    [1, 0],
    [60_000, 0],
    [60_001, 1],
    [0.5, 1],
  ])('with %d ms between them has %i problems', (backoffMs, count) => {
    const problems = problemsOf({ retry: { attempts: 2, backoffMs } });
    expect(problems).toHaveLength(count);
    for (const one of problems)
      expect(one).toContain('retry.backoffMs is not a whole number from 1 to 60,000');
  });

  it('waits half a second where nothing is said', () => {
    const { retry } = toRoute('GET', '/maps', { kind: 'handler' }, { retry: { attempts: 2 } });
    expect(retry).toEqual({ attempts: 2, backoffMs: 500 });
    expect(toRoute('GET', '/maps', { kind: 'handler' }).retry).toBeUndefined();
  });

  it('names the member that was meant, and what has another type', () => {
    verifies('run.retry.declared');
    expect(problemsOf({ retry: { attempt: 2 } })).toEqual([
      'unknown-option: unknown option "retry.attempt" (attempts)',
    ]);
    expect(problemsOf({ retry: { attempts: 2, backofMs: 5 } })).toEqual([
      'unknown-option: unknown option "retry.backofMs" (backoffMs)',
    ]);
    expect(problemsOf({ retry: { attempts: '2' } })).toEqual(['option-type: retry.attempts is not a number']);
    expect(problemsOf({ retry: 2 })).toEqual(['option-type: retry is not an object']);
  });

  it('is for what may be done twice', () => {
    verifies('run.retry.declared');
    const retry = { attempts: 2 };
    const unsafe = 'retry-unsafe: it is called again, and is neither read-only nor idempotent';
    expect(problemsOf({ retry }, 'POST')).toEqual([unsafe]);
    expect(problemsOf({ retry, idempotent: false }, 'PUT')).toEqual([unsafe]);
    expect(problemsOf({ retry }, 'PUT')).toEqual([]);
    expect(problemsOf({ retry, idempotent: true }, 'POST')).toEqual([]);
    expect(problemsOf({ retry, readOnly: true }, 'POST')).toEqual([]);
    expect(problemsOf({ retry }, 'POST', 'transaction')).toEqual([]);
    expect(problemsOf({ retry, idempotent: true }, 'POST', 'run')).toEqual([
      'retry-unsafe: it is called again, and a run keeps how it ended',
    ]);
  });
});
