import { HTTPError, type Json } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { maxToolBytes } from '@waymark/contract/tools';
import { describe, expect, it } from 'vitest';
import { maxStoredLevels } from '../../src/journal/stored-form.ts';
import { toFailure, toResult } from '../../src/leg/settled.ts';
import { look, open } from './play.ts';

/** A value whose JSON has so many characters. */
const ofLength = (length: number): string => 'x'.repeat(length - 2);

describe('toResult', () => {
  it.each([
    ['under', maxToolBytes - 1, true],
    ['at', maxToolBytes, true],
    ['over', maxToolBytes + 1, false],
  ])('keeps the result of a tool that is %s 8 MiB, or says that it is larger', (_, length, kept) => {
    verifies('run.values.most');
    const given = ofLength(length);
    const failure = { ok: false, status: 502, message: 'the result of open_door is larger than 8 MB' };
    expect(toResult(open(), given, []).value).toEqual(kept ? given : failure);
  });

  const nested = (levels: number): Json => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`) as Json;

  it.each([
    ['under', maxStoredLevels - 1, true],
    ['at', maxStoredLevels, true],
    ['over', maxStoredLevels + 1, false],
    ['far over', 100_000, false],
  ])('keeps what is nested %s 512 levels, or fails', (_, levels, isKept) => {
    verifies('run.values.deep');
    const result = () => toResult(look(1), nested(levels), []);
    if (isKept) expect(JSON.stringify(result().value)).toBe(JSON.stringify(nested(levels)));
    else expect(result).toThrow('the result of look is nested deeper than 512 levels');
  });

  it('keeps what is no result of a tool as it is', () => {
    const given = ofLength(maxToolBytes + 1);
    expect(toResult(look(1), given, []).value).toBe(given);
  });
});

describe('toFailure', () => {
  const error = new HTTPError(409, 'taken', { code: 'taken' });

  it('is a result where a tool was called, and a failure elsewhere', () => {
    const failure = { status: 409, message: 'taken', code: 'taken' };
    expect(toFailure(open(), error, [])).toEqual({
      state: 'done',
      value: { ok: false, ...failure },
      spend: [],
    });
    expect(toFailure(look(1), error, [])).toMatchObject({ state: 'failed', value: failure });
  });
});
