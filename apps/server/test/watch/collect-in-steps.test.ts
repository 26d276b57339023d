import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { collectInSteps } from '../../src/watch/collect-in-steps.ts';

const file = new URL('../../src/watch/collect-in-steps.ts', import.meta.url);

/** A process that has had much, and keeps a little of it. */
const program = `
import { setTimeout as sleep } from 'node:timers/promises';
const { collectInSteps } = await import(process.argv[1]);
const much = Array.from({ length: 1_200_000 }, (_, i) => ({ i, text: 'x' + i }));
much.length = 200_000;
let buffer = Buffer.alloc(50_000_000, 1);
buffer = undefined;
await sleep(100);
const before = process.memoryUsage();
collectInSteps();
const after = process.memoryUsage();
for (let looks = 0; looks < 100 && before.rss - process.memoryUsage.rss() < 70e6; looks++) await sleep(100);
const later = process.memoryUsage();
console.log(JSON.stringify({
  taken: after.rss - before.rss, atOnce: before.heapUsed - after.heapUsed,
  given: before.rss - later.rss, external: later.external, kept: much.at(-1).text,
}));
`;

describe('collectInSteps', () => {
  it('gives back what was freed, pages of the heap among it, and takes nothing for that', async () => {
    const args = ['--conditions=@waymark/source', '--input-type=module', '-e', program, '--', file.href];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const told = JSON.parse(stdout) as Readonly<Record<string, number>>;
    expect(told['taken']).toBeLessThan(8_000_000);
    expect(told['given']).toBeGreaterThan(70_000_000);
    expect(told['external']).toBeLessThan(20_000_000);
    expect(told['kept']).toBe('x199999');
    // Nothing is collected before it returns: that would have stopped everything.
    expect(told['atOnce']).toBeLessThan(10_000_000);
  });

  it('lives on where there is no room for what it asks with', () => {
    vi.stubGlobal(
      'ArrayBuffer',
      class {
        constructor() {
          throw new RangeError('Array buffer allocation failed');
        }
      },
    );
    try {
      expect(collectInSteps()).toBe(0);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
