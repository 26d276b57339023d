import { createRouteTable } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { toClient } from '../src/index.ts';
import { NameSet } from '../src/names.ts';
import { toOperations } from '../src/operations.ts';
import { toRunnables } from '../src/runnables.ts';
import { deskTable, runnable } from './desk-table.ts';
import { richTable, route } from './rich-table.ts';

const desk = (): string => toClient(deskTable(), { title: 'Desk' });

describe('toRunnables', () => {
  const found = (table = deskTable()) =>
    toRunnables(table, toOperations(table, NameSet.forTypes())).map(({ group, name }) => [group, name]);

  it('finds agents, behaviours and flows by what they start, under their declared names', () => {
    expect(found()).toEqual([
      ['agents', 'support'],
      ['agents', 'front-desk'],
      ['behaviours', 'sweep'],
      ['behaviours', 'count'],
      ['flows', 'triage'],
    ]);
  });

  it('gives names that an object of members cannot have a suffix: `then` would be called by await', () => {
    const routes = (['agent', 'behaviour', 'flow'] as const).flatMap((kind) =>
      ['then', 'constructor', '__proto__'].flatMap((name) => runnable(kind, name, `/${kind}/${name}`, {})),
    );
    for (const [, name] of found(createRouteTable(routes)))
      expect(name).toMatch(/^(?:then|constructor|__proto__)_\w{6}$/);
  });

  it('takes nothing for one whose answer cannot be asked for later', () => {
    expect(found(createRouteTable([route('POST', '/agents/old', {}, 'agent')]))).toEqual([]);
    expect(found(richTable())).toEqual([]);
  });
});

describe('the runs of a client', () => {
  it('are not there without an agent, a behaviour or a flow', () => {
    expect(toClient(richTable(), { title: 'Rich' })).not.toMatch(/RunClient|connectRuns|readRun/);
  });

  it('have sockets with an agent alone', () => {
    const sockets = /WebSocket|LastingSocket|AgentClient|connectAgents/;
    for (const kind of ['behaviour', 'flow'] as const)
      expect(toClient(runnable(kind, 'one', '/one', {}), { title: 'One' })).not.toMatch(sockets);
    const source = toClient(runnable('agent', 'one', '/one', {}), { title: 'One' });
    expect(source).toMatch(sockets);
    expect(source).toContain('export function createClient(options: SocketClientOptions): Client {');
    expect(source).not.toMatch(/CameraClient|EventReader|runs\('/);
  });

  it('are the same each time, and leave the methods as they are', () => {
    verifies('client.deterministic');
    expect(desk()).toBe(desk());
    expect(desk()).toContain(
      '  support(input: SupportInput, options?: ProgressOptions): Promise<SupportOutput>;',
    );
    expect(desk()).toContain("      'front-desk': agent('/agents/front-desk', 605_000),\n");
    expect(desk()).toContain("      sweep: toBehaviour(runs('/behaviours/sweep', 605_000)),\n");
  });
});
