import { describe, expect, it } from 'vitest';
import { judge, unusedExcuses } from '../conformance/judge.ts';
import type { Check, Offered } from '../conformance/run-suite.ts';

const revision = '2026-07-28';
const offer = (scenario: string): Offered => ({ scenario, revisions: [revision] });
const check = (status: Check['status'], id = 'some-check'): Check => ({ id, status, errorMessage: 'wrong' });

describe('the judge of conformance', () => {
  it('counts what passed, and tells what did not', () => {
    const checks = [
      check('SUCCESS'),
      check('SUCCESS'),
      check('FAILURE', 'bad'),
      check('INFO'),
      check('SKIPPED'),
    ];
    expect(judge(revision, [offer('tools-list')], [{ scenario: 'tools-list', checks }])).toEqual({
      passed: 2,
      failures: ['tools-list: bad: wrong'],
    });
  });

  it('takes no warning that is not on its list', () => {
    const checks = [check('WARNING'), check('WARNING', 'server-sse-polling-session')];
    expect(judge(revision, [offer('a')], [{ scenario: 'a', checks }]).failures).toEqual([
      'a: some-check: wrong',
    ]);
  });

  it('misses a scenario that did not run, or that checked nothing', () => {
    const offered = [offer('a'), offer('b'), offer('server-session-lifecycle')];
    const results = ['b', 'server-session-lifecycle'].map((scenario) => ({
      scenario,
      checks: [check('INFO')],
    }));
    expect(judge(revision, offered, results)).toEqual({
      passed: 0,
      failures: ['a: did not run', 'b: checked nothing'],
    });
  });

  it('asks nothing of other revisions, and of scenarios that are excused', () => {
    const offered = [{ scenario: 'a', revisions: ['2025-11-25'] }, offer('prompts-list')];
    const results = [{ scenario: 'prompts-list', checks: [check('FAILURE')] }];
    expect(judge(revision, offered, results)).toEqual({ passed: 0, failures: [] });
  });

  it('tells which excuses nobody needs any more', () => {
    const unused = unusedExcuses([offer('prompts-list')], []);
    expect(unused).toContain('tasks-lifecycle: is excused, and no suite has it');
    expect(unused).not.toContain('prompts-list: is excused, and no suite has it');
  });
});
