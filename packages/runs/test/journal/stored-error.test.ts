import { HTTPError, type Json } from '@waymark/contract';
import { ModelError } from '@waymark/contract/models';
import { BudgetExhausted } from '@waymark/contract/runs';
import { describe, expect, it } from 'vitest';
import { fromStoredError, toRunError, toStoredError } from '../../src/journal/stored-error.ts';

const stored = (error: unknown): Error =>
  fromStoredError(JSON.parse(JSON.stringify(toStoredError(error))) as Json);

describe('an error in the journal', () => {
  it('comes back with what its caller was told', () => {
    const error = new HTTPError(409, 'taken', {
      code: 'taken',
      errors: [{ path: '/a', message: 'is taken' }],
      headers: { 'retry-after': '5' },
      run: { run_id: 'r' },
    });
    const back = stored(error);
    expect(back).toBeInstanceOf(HTTPError);
    expect(back).toMatchObject({
      status: 409,
      message: 'taken',
      headers: { 'retry-after': '5' },
      members: { code: 'taken', errors: [{ path: '/a', message: 'is taken' }], run: { run_id: 'r' } },
    });
  });

  it('keeps why a model gave no reply', () => {
    const error = new ModelError('too long', { reason: 'context_window', provider: 'p', model: 'm' });
    expect(stored(error)).toMatchObject({ status: 502, members: { code: 'context_window' } });
  });

  it('keeps name and text of other errors, and of what is none', () => {
    expect(stored(new RangeError('far'))).toMatchObject({ name: 'RangeError', message: 'far' });
    expect(stored('oops')).toMatchObject({ name: 'Error', message: 'oops' });
    expect(stored(new BudgetExhausted('empty'))).toBeInstanceOf(BudgetExhausted);
  });
});

describe('toRunError', () => {
  it.each([
    [new HTTPError(504, 'slow'), { code: 'timeout', message: 'slow', status: 504 }],
    [new HTTPError(502, 'down'), { code: 'provider', message: 'down', status: 502 }],
    [new HTTPError(403, 'no'), { code: 'refused', message: 'no', status: 403 }],
    [new HTTPError(403, 'no', { code: 'declined' }), { code: 'declined', message: 'no', status: 403 }],
    [new Error('select * from secrets'), { code: 'internal', message: 'internal error', status: 500 }],
    [new HTTPError(200, 'odd'), { code: 'internal', message: 'internal error', status: 500 }],
  ])('says what may be said: %s', (error, expected) => {
    expect(toRunError(error)).toEqual(expected);
  });

  it('says nothing of what cannot be stored, so that the run ends', () => {
    const errors = [{ path: '/', message: 1n as unknown as string }];
    const internal = { code: 'internal', message: 'internal error', status: 500 };
    expect(toRunError(new HTTPError(422, 'odd', { errors }))).toEqual(internal);
  });
});
