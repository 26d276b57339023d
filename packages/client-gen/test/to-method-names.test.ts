import { toClient, toMethodNames } from '@waymark/client-gen';
import { createRouteTable, toRoute } from '@waymark/contract';
import { describe, expect, it } from 'vitest';

const engine = { kind: 'handler' };

describe('toMethodNames', () => {
  it('gives the methods that the client of the same table has', () => {
    const decide = { plane: 'control', facts: { client: 'approvals.decide' } } as const;
    const table = createRouteTable([
      toRoute('GET', '/tickets/{id}', engine),
      toRoute('GET', '/then', engine, { toolName: 'then' }),
      toRoute('GET', '/page', engine, { facts: { client: false } }),
      toRoute('POST', '/approvals/{id}', engine, decide),
      toRoute('GET', '/stream', engine, { socket: true }),
    ]).freeze();
    const names = [...toMethodNames(table)].map(([{ path }, name]) => [path, name]);
    expect(names).toEqual([
      ['/tickets/{id}', 'getTicketsById'],
      ['/then', expect.stringMatching(/^then_\w{6}$/)],
      ['/approvals/{id}', 'control.approvals.decide'],
    ]);
    const source = toClient(table, { title: 'Desk' });
    for (const [, name = ''] of names) expect(source).toContain(`${name.split('.').at(-1)}(`);
  });
});
