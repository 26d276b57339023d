import { execFileSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';

const source = join(import.meta.dirname, '../src/boot/lower-helpers.ts');

/** What a program says of the priorities of its threads, V8's and the others, before it did what is asked and behind that. */
function priorities(lower: string, before = ''): Readonly<Record<string, readonly string[]>> {
  const program = `
    import { readdirSync, readFileSync } from 'node:fs';
    import { getPriority, setPriority } from 'node:os';
    const ids = readdirSync('/proc/self/task').map(Number);
    const nameOf = (id) => readFileSync('/proc/self/task/' + id + '/comm', 'utf8').trim();
    ${before}
    const was = ids.map((id) => getPriority(id));
    ${lower}
    const found = { v8: new Set(), others: new Set() };
    for (const [i, id] of ids.entries())
      found[nameOf(id) === 'V8Worker' ? 'v8' : 'others'].add(was[i] + ' -> ' + getPriority(id));
    console.log(JSON.stringify({ v8: [...found.v8], others: [...found.others] }));
    process.exit(0);
  `;
  const options = ['--conditions=@waymark/source', '--input-type=module', '-e', program];
  return JSON.parse(execFileSync(process.execPath, options, { cwd: import.meta.dirname, encoding: 'utf8' }));
}

const lowered = `
  const { lowerHelpers } = await import(${JSON.stringify(source)});
  lowerHelpers();
  lowerHelpers();
`;
const started = `
  const { createApplication } = await import('@waymark/server');
  await createApplication('shop', { port: 0, env: { LOG_LEVEL: 'silent' } }).listen();
`;

describe.runIf(process.platform === 'linux')('lowerHelpers', () => {
  // Whoever runs the tests may have lowered all of them.
  const own = getPriority();

  it.each([
    ['once', lowered],
    ['when a server starts', started],
  ])('puts the threads of V8 five steps behind the one that answers, and no other: %s', (_, lower) => {
    verifies('http.neighbour.time');
    expect(priorities(lower)).toEqual({ v8: [`${own} -> ${own + 5}`], others: [`${own} -> ${own}`] });
  });

  it.each([
    [14, 19],
    [17, 19],
  ])('begins at the priority of the process, %i, and goes no lower than there is', (from, to) => {
    const all = `for (const id of ids) setPriority(id, ${from});`;
    expect(priorities(lowered, all)).toEqual({ v8: [`${from} -> ${to}`], others: [`${from} -> ${from}`] });
  });
});
