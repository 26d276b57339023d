import { describe, expect, it } from 'vitest';
import { DeclarationError, toProblemLine } from '../../src/declaring/declaration-error.ts';

describe('toProblemLine', () => {
  it('says where, what, which rule, the nearest name and the fix', () => {
    expect(
      toProblemLine({
        declaration: 'agent "guard"',
        rule: 'unknown tool "door_snapsot"',
        nearest: 'door_snapshot',
        fix: 'declare it with camera()',
        at: 'src/app.ts:12',
      }),
    ).toBe(
      'src/app.ts:12  agent "guard": unknown tool "door_snapsot" (did you mean "door_snapshot"?); declare it with camera()',
    );
  });

  it('leaves out what is not known', () => {
    expect(toProblemLine({ declaration: 'agent "guard"', rule: 'has no tools' })).toBe(
      'agent "guard": has no tools',
    );
  });
});

describe('DeclarationError', () => {
  it('lists every problem under its count', () => {
    const problems = [
      { declaration: 'agent "guard"', rule: 'has no tools' },
      { declaration: 'flow "intake"', rule: 'has no steps', at: 'app.ts:3' },
    ];
    const error = new DeclarationError(problems);
    expect(error.name).toBe('DeclarationError');
    expect(error.problems).toEqual(problems);
    expect(error.message).toBe(
      '2 declaration problems\n  agent "guard": has no tools\n  app.ts:3  flow "intake": has no steps',
    );
  });

  it('gives its problems as programs read them', () => {
    const problem = { code: 'unknown-tool', declaration: 'agent "a"', rule: 'b', fix: 'c', at: 'app.ts:3' };
    expect(new DeclarationError([problem]).findings).toEqual([
      {
        severity: 'error',
        code: 'unknown-tool',
        text: 'agent "a": b',
        fix: 'c',
        at: { file: 'app.ts', line: 3 },
      },
    ]);
  });

  it('counts one problem in the singular', () => {
    expect(new DeclarationError([{ declaration: 'agent "a"', rule: 'b' }]).message).toBe(
      '1 declaration problem\n  agent "a": b',
    );
  });
});
