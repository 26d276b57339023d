import { describe, expect, it } from 'vitest';
import { toFinding } from '../../src/declaring/finding.ts';
import { toProblems } from '../../src/declaring/rule-book.ts';

const problem = { declaration: 'agent "guard"', rule: 'unknown tool "x"' };

describe('toFinding', () => {
  it('is an error unless the problem says that it is a warning', () => {
    expect(toFinding(problem)).toEqual({ severity: 'error', text: 'agent "guard": unknown tool "x"' });
    expect(toFinding({ ...problem, severity: 'warning' })).toMatchObject({ severity: 'warning' });
  });

  it('says what to write where a name was meant and nothing else was said', () => {
    expect(toFinding({ ...problem, nearest: 'y' })).toMatchObject({ nearest: 'y', fix: 'write "y"' });
    expect(toFinding({ ...problem, nearest: 'y', fix: 'declare it' })).toMatchObject({ fix: 'declare it' });
  });

  it('gives file and line apart, and none where the place names no line', () => {
    expect(toFinding({ ...problem, at: 'src/app.ts:12' }).at).toEqual({ file: 'src/app.ts', line: 12 });
    expect(toFinding({ ...problem, at: 'unknown' })).not.toHaveProperty('at');
  });
});

describe('toProblems', () => {
  it('says of each fault which declaration it is of and where that stands', () => {
    expect(toProblems('agent "guard"', 'app.ts:3', [{ code: 'a', rule: 'b', fix: 'c' }])).toEqual([
      { declaration: 'agent "guard"', code: 'a', rule: 'b', fix: 'c', at: 'app.ts:3' },
    ]);
  });

  it.each([undefined, 5, {}])('leaves out a place that is none: %j', (at) => {
    expect(toProblems('agent', at, [{ code: 'a', rule: 'b' }])[0]).not.toHaveProperty('at');
  });
});
