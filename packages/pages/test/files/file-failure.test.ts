import { HTTPError } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { toFileFailure } from '../../src/files/file-failure.ts';

describe('toFileFailure', () => {
  it.each(['EMFILE', 'ENFILE', 'EIO'])('answers %s with 503: it passes', (code) => {
    const error = Object.assign(new Error('open /srv/secret'), { code });
    const failure = toFileFailure(error);
    expect(failure).toMatchObject({ status: 503, headers: { 'retry-after': '1' }, cause: error });
    expect((failure as HTTPError).message).not.toContain('secret');
  });

  it('leaves all else as it is', () => {
    const errors = [
      new TypeError('bug'),
      Object.assign(new Error('x'), { code: 'EBADF' }),
      new HTTPError(412, 'no'),
    ];
    expect(errors.map(toFileFailure)).toEqual(errors);
  });
});
