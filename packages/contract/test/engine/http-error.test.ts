import { describe, expect, it } from 'vitest';
import { HTTPError } from '../../src/engine/http-error.ts';
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
