import { describe, expect, it } from 'vitest';
import { HTTPError } from '../../src/engine/http-error.ts';
import { partnerFault } from '../../src/engine/partner-fault.ts';

/** What the outbound client fails with where a connection fails so. */
function broken(code: string): HTTPError {
  const cause = Object.assign(new Error(`${code} 10.0.0.7:443 token=abc`), { code });
  return new HTTPError(502, 'https://billing.internal did not answer', { cause });
}

describe('partnerFault', () => {
  it.each([
    ['ECONNREFUSED', 'refuses connections'],
    ['ENOTFOUND', 'has a name that cannot be resolved'],
    ['EAI_AGAIN', 'has a name that cannot be resolved'],
    ['EHOSTUNREACH', 'is not reachable'],
    ['CERT_HAS_EXPIRED', 'fails at TLS'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'fails at TLS'],
    ['HPE_INVALID_CONSTANT', 'does not speak HTTP'],
    ['UND_ERR_SOCKET', 'breaks off'],
    ['ECONNRESET', 'breaks off'],
    ['UND_ERR_DESTROYED', 'does not answer'],
  ])('says in words of ours what %s is', (code, fault) => {
    expect(partnerFault(broken(code))).toBe(fault);
    expect(partnerFault(new Error('around it', { cause: broken(code) }))).toBe(fault);
    expect(partnerFault(new AggregateError([broken(code)]))).toBe(fault);
  });

  it.each([
    ['a 504', new HTTPError(504, 'https://a took too long'), 'takes too long to answer'],
    ['a deadline', new DOMException('late', 'TimeoutError'), 'takes too long to answer'],
    [
      'a 403',
      new HTTPError(403, 'the address of a is not allowed'),
      'has an address that may not be reached',
    ],
    ['an answer', new SyntaxError('Unexpected token s3cret'), 'says what nobody can read'],
    ['nothing', undefined, 'says what nobody can read'],
  ])('tells %s', (_, error, fault) => {
    expect(partnerFault(error, 'says what nobody can read')).toBe(fault);
  });

  it('follows no circle of causes', () => {
    const error = new Error('a');
    error.cause = error;
    expect(partnerFault(error)).toBe('does not answer');
  });
});
