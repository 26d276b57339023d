import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';

const source = join(import.meta.dirname, '../src/boot/lower-helpers.ts');

/** What a program says of the priorities of its threads, V8's and the others, before it lowered them twice and behind that. */
function priorities(before: string): Readonly<Record<string, readonly string[]>> {
  const program = `
    import { readdirSync, readFileSync } from 'node:fs';
    import { getPriority, setPriority } from 'node:os';
    import { lowerHelpers } from ${JSON.stringify(source)};
    const ids = readdirSync('/proc/self/task').map(Number);
    const nameOf = (id) => readFileSync('/proc/self/task/' + id + '/comm', 'utf8').trim();
    ${before}
    const was = ids.map((id) => getPriority(id));
    lowerHelpers();
    lowerHelpers();
    const found = { v8: new Set(), others: new Set() };
    for (const [i, id] of ids.entries())
      found[nameOf(id) === 'V8Worker' ? 'v8' : 'others'].add(was[i] + ' -> ' + getPriority(id));
    console.log(JSON.stringify({ v8: [...found.v8], others: [...found.others] }));
  `;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }),
  );
}

describe.runIf(process.platform === 'linux')('lowerHelpers', () => {
  it('puts the threads of V8 five steps behind the one that answers, once, and no other', () => {
    verifies('http.neighbour.time');
    expect(priorities('')).toEqual({ v8: ['0 -> 5'], others: ['0 -> 0'] });
  });

  it.each([
    [3, 8],
    [14, 19],
    [17, 19],
  ])('begins at the priority of the process, %i, and goes no lower than there is', (own, lowered) => {
    const all = `for (const id of ids) setPriority(id, ${own});`;
    expect(priorities(all)).toEqual({ v8: [`${own} -> ${lowered}`], others: [`${own} -> ${own}`] });
  });
});
