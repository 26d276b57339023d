import { ProblemError } from '@waymark/client-gen/runtime';
import { describe, expect, it } from 'vitest';
import { toConsequence, toRefusal, toVerdict } from '../browser/pages/approvals/decide.ts';

const row = { tool: 'refund', agent: 'biller' };
const problem = (status: number, body: object) =>
  new ProblemError({ status, statusText: '', headers: new Headers() }, body);

describe('what is said of a decision', () => {
  it.each([
    [true, { status: 'completed' }, 'Approved refund. biller has ended.'],
    [false, { status: 'awaiting_approval' }, 'Declined refund. biller asks once more.'],
    [true, { status: 'running' }, 'Approved refund. biller goes on at an instance of the newer release.'],
    [true, { status: 'step_limit' }, 'Approved refund. biller ended: step limit.'],
    [true, 'the value of a behaviour', 'Approved refund. biller has ended.'],
  ])('%s, and the run answers %j', (approve, answer, text) => {
    expect(toVerdict(row, approve, answer).text).toBe(text);
  });

  it('names who was faster', () => {
    const body = { detail: 'decided', decided_by: 'ada', decision: 'denied', decided_at_ms: 0 };
    expect(toRefusal(row, true, problem(409, body)).text).toMatch(
      /^ada was faster and declined refund, 1 Jan 1970/,
    );
    expect(
      toRefusal(row, true, problem(409, { detail: 'the approval was withdrawn', decided_by: null })).text,
    ).toBe('refund needs no decision any more: the approval was withdrawn.');
  });

  it('tells a run that failed behind a decision from one that was not decided', () => {
    expect(toRefusal(row, true, problem(502, { detail: 'billing is away', run: {} })).text).toBe(
      'Approved refund, and then its run failed: billing is away',
    );
    expect(toRefusal(row, true, problem(410, { detail: 'expired' })).text).toMatch(/^Too late/);
    expect(toRefusal(row, true, problem(403, { detail: 'missing scope "x"' })).text).toBe(
      'refund is undecided: missing scope "x" (403)',
    );
    expect(toRefusal(row, true, new TypeError('fetch')).text).toMatch(/^Nobody knows/);
  });

  it('says what a no does, by who asks', () => {
    const said = (['agent', 'behaviour', 'flow'] as const).map((kind) => toConsequence({ ...row, kind }));
    expect(new Set(said).size).toBe(3);
    for (const text of said) expect(text).toContain('refund is not called');
  });
});
