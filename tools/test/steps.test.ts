import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { countTests, runSteps, type Step } from '../lib/steps.ts';

describe('runSteps', () => {
  beforeEach(() => {
    vi.spyOn(console, 'log').mockImplementation(() => {});
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('goes on after a failure and counts a failed step without tests as one', async () => {
    const outcome = await runSteps([
      [
        [
          { name: 'broken', command: ['node', '-e', 'process.exit(3)'] },
          {
            name: 'tests',
            command: ['node', '-e', 'console.log("4 passed, 0 failed, 1 skipped")'],
            tests: true,
          },
        ],
      ],
    ]);
    expect(outcome).toEqual({ passed: 4, failed: 1, failedSteps: ['broken'] });
  });

  it('does not count a failed test run twice', async () => {
    const script = 'console.log("1 passed, 2 failed"); process.exit(1)';
    const outcome = await runSteps([[[{ name: 'tests', command: ['node', '-e', script], tests: true }]]]);
    expect(outcome).toEqual({ passed: 1, failed: 2, failedSteps: ['tests'] });
  });

  it('counts a test run that never reached its summary as failed', async () => {
    const outcome = await runSteps([[[{ name: 'tests', command: ['no-such-program'], tests: true }]]]);
    expect(outcome).toEqual({ passed: 0, failed: 1, failedSteps: ['tests'] });
  });
});

describe('a second run', () => {
  /** Fails and names these files; named behind the command, they pass or fail. */
  const step = (files: readonly string[], { second = true, outside = 0 } = {}): Step => {
    const named = files.map((file) => `failed file: ${file}\\n`).join('');
    const fail = `console.log('${named}failed outside: ${outside}\\n7 passed, ${files.length + outside} failed'); process.exit(1);`;
    const script = `if (process.argv.length > 1 && ${second}) console.log(process.argv.length - 1 + ' passed, 0 failed'); else { ${fail} }`;
    return { name: 'tests', command: ['node', '-e', script, '--'], tests: true, again: true };
  };
  const outcomeOf = async (one: Step): Promise<object> => {
    vi.spyOn(console, 'log').mockImplementation(() => {});
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    return runSteps([[[one]]]);
  };
  const eight = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => `${name}.test.ts`);

  it('counts for files that failed beside others, and says which', async () => {
    expect(await outcomeOf(step(eight))).toEqual({ passed: 15, failed: 0, failedSteps: [] });
    const told = vi.mocked(console.log).mock.calls.flat().join('\n');
    expect(told).toContain(`failed beside others, passed by themselves: ${eight.join(', ')}`);
  });

  it.each([
    ['fails, too', step(['a.test.ts'], { second: false }), 1],
    ['would be of nine files', step([...eight, 'i.test.ts']), 9],
    ['would draw other cases', step(['a.property.test.ts', 'b.test.ts']), 2],
    ['would not run what failed in no file', step(['a.test.ts'], { outside: 1 }), 2],
    ['nobody wants', { ...step(['a.test.ts']), again: false }, 1],
  ])('changes nothing where it %s', async (_, one, failed) => {
    expect(await outcomeOf(one)).toEqual({ passed: 7, failed, failedSteps: ['tests'] });
  });
});

describe('lanes', () => {
  const say = (name: string, script: string): Step => ({ name, command: ['node', '-e', script] });

  it('of one stage go side by side, and the next stage waits for both', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lanes-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [here, there] = [join(folder, 'here'), join(folder, 'there')].map((path) => JSON.stringify(path));
    // Each ends only once the other one has begun.
    const meet = (mine: string | undefined, other: string | undefined): string =>
      `const fs = require('fs'); fs.writeFileSync(${mine}, ''); setInterval(() => { if (fs.existsSync(${other})) process.exit(); }, 5);`;
    const both = `for (const path of [${here}, ${there}]) require('fs').rmSync(path)`;
    vi.spyOn(console, 'log').mockImplementation(() => {});
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const { failedSteps } = await runSteps([
      [[say('one', meet(here, there))], [say('two', meet(there, here))]],
      [[say('after', both)]],
    ]);
    expect(failedSteps).toEqual([]);
  });
});

describe('the end', () => {
  it('has once more how a failed step ended, and nothing of the others', async () => {
    const rows = vi.spyOn(console, 'log').mockImplementation(() => {});
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const count = (exit: number): Step['command'] => [
      'node',
      '-e',
      `for (let n = 1; n <= 40; n++) console.log(${exit} + ' line ' + n); process.exit(${exit})`,
    ];
    await runSteps([
      [[{ name: 'fine', command: count(0) }], [{ name: 'broken', command: count(1) }]],
      [[{ name: 'after', command: count(0) }]],
    ]);
    const last = String(rows.mock.calls.at(-1)?.[0]);
    expect(last).toBe(
      `\nbroken failed:\n${Array.from({ length: 25 }, (_, n) => `1 line ${n + 16}`).join('\n')}`,
    );
    expect(rows.mock.calls.flat().join('\n')).not.toContain('0 line 40');
  });
});

describe('the table', () => {
  it.skipIf(!existsSync('/proc/self/stat'))('gives each step the processor time that it took', async () => {
    const rows = vi.spyOn(console, 'log').mockImplementation(() => {});
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    // Its own time, not the clock's: it may have to wait for a core. Asking for it is most of it, and done by the system.
    const spin = (ms: number): string =>
      `let used; do used = process.cpuUsage(); while (used.user + used.system < ${ms * 1000});`;
    await runSteps([
      [
        [{ name: 'waits', command: ['node', '-e', 'setTimeout(() => {}, 100)'] }],
        [{ name: 'works', command: ['node', '-e', spin(600)] }],
      ],
    ]);
    const table = String(rows.mock.calls.find(([row]) => String(row).includes('ok '))?.[0]);
    const secondsOf = (name: string): number =>
      Number(table.match(new RegExp(`${name} .* cpu +(\\d+) s$`, 'm'))?.[1]);
    expect(secondsOf('works')).toBeGreaterThanOrEqual(1);
    expect(secondsOf('waits')).toBeLessThan(secondsOf('works'));
  });
});

describe('countTests', () => {
  it('adds up summary lines and ignores sentences that look like one', () => {
    expect(countTests('1 passed, 0 failed\n> 9 passed, 9 failed\n2 passed, 3 failed, 1 skipped\n')).toEqual({
      passed: 3,
      failed: 3,
    });
  });
});
