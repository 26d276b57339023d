import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { countTests, runSteps } from '../lib/steps.ts';

describe('runSteps', () => {
  beforeEach(() => {
    vi.spyOn(console, 'log').mockImplementation(() => {});
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('goes on after a failure and counts a failed step without tests as one', async () => {
    const outcome = await runSteps([
      { name: 'broken', command: ['node', '-e', 'process.exit(3)'] },
      { name: 'tests', command: ['node', '-e', 'console.log("4 passed, 0 failed, 1 skipped")'], tests: true },
    ]);
    expect(outcome).toEqual({ passed: 4, failed: 1, failedSteps: ['broken'] });
  });

  it('does not count a failed test run twice', async () => {
    const script = 'console.log("1 passed, 2 failed"); process.exit(1)';
    const outcome = await runSteps([{ name: 'tests', command: ['node', '-e', script], tests: true }]);
    expect(outcome).toEqual({ passed: 1, failed: 2, failedSteps: ['tests'] });
  });

  it('counts a test run that never reached its summary as failed', async () => {
    const outcome = await runSteps([{ name: 'tests', command: ['no-such-program'], tests: true }]);
    expect(outcome).toEqual({ passed: 0, failed: 1, failedSteps: ['tests'] });
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
