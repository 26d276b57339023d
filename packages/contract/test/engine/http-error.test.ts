import { describe, expect, it } from 'vitest';
import { DeclarationError, HTTPError, toProblemLine } from '../../src/index.ts';
import { verifies } from '../../src/testing/index.ts';

describe('HTTPError', () => {
  it('is made from a status and a message', () => {
    verifies('response.http-error');
    const error = new HTTPError(404, 'no such ticket');
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'HTTPError',
      status: 404,
      message: 'no such ticket',
      headers: {},
      members: {},
    });
    expect(error.cause).toBeUndefined();
  });

  it('carries headers, problem members and the cause', () => {
    const cause = new Error('disk');
    const error = new HTTPError(429, 'too fast', { headers: { 'retry-after': '1' }, code: 'slow', cause });
    expect(error.headers).toEqual({ 'retry-after': '1' });
    expect(error.members).toEqual({ code: 'slow' });
    expect(error.cause).toBe(cause);
  });
});

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
