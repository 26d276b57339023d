import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scriptedModel } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { agentShapes } from '../src/agent/agent-settings.ts';
import { behaviourShapes } from '../src/behaviour/behaviour-settings.ts';
import * as agents from '../src/index.ts';
import { behaviour } from '../src/index.ts';
import { openDesk } from './desk/open-desk.ts';
import { problems, table } from './example.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');

describe('the README', () => {
  it('shows the program of example.ts', () => {
    const [, program] = /```ts\n([\s\S]*?)```/.exec(read('../README.md')) ?? [];
    expect(program).toBe(read('example.ts'));
  });

  it('names everything that is exported, and every option', () => {
    for (const name of Object.keys(agents)) expect(read('../README.md')).toContain(`\`${name}`);
    const shapes = { ...agentShapes, ...behaviourShapes };
    const options = Object.keys(shapes).filter((name) => name !== 'declaredAt');
    for (const name of options) expect(read('../README.md')).toContain(`\`${name}\``);
  });
});

describe('the program of the README', () => {
  it('declares agents and a behaviour with nothing wrong', () => {
    expect(problems).toEqual([]);
    expect(table.tools().map(({ name }) => name)).toEqual([
      'list_tickets',
      'support',
      'cashier',
      'find_urgent',
    ]);
  });
});

describe('the page about the code of behaviours', () => {
  it('names every member of ctx', async () => {
    const models = scriptedModel([]);
    const members: string[] = [];
    const look = behaviour('look', {}, (ctx) => {
      members.push(...Object.getOwnPropertyNames(ctx));
    });
    await (await openDesk([look], models)).run('look', {});
    expect(members).toHaveLength(19);
    for (const name of members) expect(read('../docs/behaviour-code.md')).toContain(`\`${name}`);
  });
});
