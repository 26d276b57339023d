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

describe('the table', () => {
  it.skipIf(!existsSync('/proc/self/stat'))('gives each step the processor time that it took', async () => {
    const rows = vi.spyOn(console, 'log').mockImplementation(() => {});
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    await runSteps([
      [
        [{ name: 'waits', command: ['node', '-e', 'setTimeout(() => {}, 100)'] }],
        [
          {
            name: 'works',
            command: [
              'node',
              '-e',
              'for (let c = process.cpuUsage(); c.user + c.system < 800_000; c = process.cpuUsage());',
            ],
          },
        ],
      ],
    ]);
    const table = String(rows.mock.calls.find(([row]) => String(row).includes('ok '))?.[0]);
    expect(table).toMatch(/^ok {5}waits .* cpu {4}0 s$/m);
    expect(table).toMatch(/^ok {5}works .* cpu {4}1 s$/m);
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
