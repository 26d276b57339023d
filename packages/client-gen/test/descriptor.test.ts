import { createRouteTable, toRoute } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { toClient } from '../src/index.ts';
import { runnable } from './desk-table.ts';
import { route } from './rich-table.ts';

const timeoutOf = (...given: Parameters<typeof route>): string | undefined =>
  /^ +timeoutMs: (\S+),$/m.exec(
    toClient([route(...given)], { title: 'x' }).split('export function createClient')[1] ?? '',
  )?.[1];

describe('toMethod', () => {
  it.each([
    ['a route with its own limit', timeoutOf('GET', '/a', { timeoutMs: 1_000 }), '6_000'],
    ['a route without', timeoutOf('GET', '/a'), '35_000'],
    ['an agent', timeoutOf('POST', '/a', {}, 'agent'), '605_000'],
    ['a behaviour', timeoutOf('POST', '/a', {}, 'behaviour'), '605_000'],
    ['a flow', timeoutOf('POST', '/a', {}, 'flow'), '605_000'],
    ['an agent with its own limit', timeoutOf('POST', '/a', { timeoutMs: 2_000 }, 'agent'), '7_000'],
    [
      'a route without an end',
      timeoutOf('GET', '/a', { timeoutMs: Number.POSITIVE_INFINITY }),
      '2_147_483_647',
    ],
  ])('waits five seconds longer than the service: %s', (_, actual, expected) => {
    verifies('client.timeouts');
    expect(actual).toBe(expected);
  });

  it('waits as long as the application says, where a route does not', () => {
    verifies('client.timeouts');
    const limits = { requestTimeoutMs: 120_000, agentTimeoutMs: 1_200_000 };
    const table = createRouteTable(
      [
        route('GET', '/plain'),
        route('GET', '/quick', { timeoutMs: 1_000 }),
        ...runnable('agent', 'front', '/agents/front', {}),
        ...runnable('behaviour', 'sweep', '/behaviours/sweep', {}),
      ],
      limits,
    );
    const source = toClient(table, { title: 'x' });
    expect([...source.matchAll(/^ +timeoutMs: (\S+),$/gm)].map(([, ms]) => ms)).toEqual([
      ...['125_000', '6_000', '1_205_000', '1_205_000', '1_205_000', '1_205_000'],
    ]);
    expect(source).toContain("      front: agent('/agents/front', 1_205_000),\n");
    expect(source).toContain("      sweep: toBehaviour(runs('/behaviours/sweep', 1_205_000)),\n");
  });

  it('waits as long for whatever waits for a run', () => {
    verifies('client.timeouts');
    const decides = toRoute('POST', '/decide', { kind: 'handler', durability: 'run' });
    expect(toClient([decides], { title: 'x' })).toContain('      timeoutMs: 605_000,\n');
  });

  it('asks again only for what is read only and idempotent', () => {
    const retries = (options: object) =>
      toClient([route('GET', '/a', options)], { title: 'x' }).includes('retry: true,');
    expect(retries({})).toBe(true);
    expect(retries({ readOnly: false })).toBe(false);
    expect(retries({ idempotent: false })).toBe(false);
  });
});
