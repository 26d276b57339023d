import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentShapes } from '../src/agent/agent-settings.ts';
import * as agents from '../src/index.ts';
import { problems, table } from './example.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');

describe('the README', () => {
  it('shows the program of example.ts', () => {
    const [, program] = /```ts\n([\s\S]*?)```/.exec(read('../README.md')) ?? [];
    expect(program).toBe(read('example.ts'));
  });

  it('names everything that is exported, and every option', () => {
    for (const name of Object.keys(agents)) expect(read('../README.md')).toContain(`\`${name}`);
    const options = Object.keys(agentShapes).filter((name) => name !== 'declaredAt');
    for (const name of options) expect(read('../README.md')).toContain(`\`${name}\``);
  });
});

describe('the program of the README', () => {
  it('declares agents with nothing wrong', () => {
    expect(problems).toEqual([]);
    expect(table.tools().map(({ name }) => name)).toEqual(['list_tickets', 'support', 'cashier']);
  });
});
