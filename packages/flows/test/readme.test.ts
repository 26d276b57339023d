import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { flowShapes } from '../src/flow/flow-settings.ts';
import * as flows from '../src/index.ts';
import { plugin, table } from './example.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');

describe('the README', () => {
  it('shows the program of example.ts', () => {
    const [, program] = /```ts\n([\s\S]*?)```/.exec(read('../README.md')) ?? [];
    expect(program).toBe(read('example.ts'));
  });

  it('names everything that is exported, and every option', () => {
    for (const name of Object.keys(flows)) expect(read('../README.md')).toContain(`\`${name}`);
    const options = Object.keys(flowShapes).filter((name) => name !== 'declaredAt');
    for (const name of options) expect(read('../README.md')).toContain(`\`${name}\``);
  });
});

describe('the program of the README', () => {
  it('declares flows with nothing wrong', () => {
    expect(plugin.check?.({ table, env: () => undefined })).toEqual([]);
    const names = ['get_ticket', 'send_mail', 'answer_ticket'];
    expect(table.tools().map(({ name }) => name)).toEqual(names);
  });
});
