import { describe, expect, it } from 'vitest';
import { isLoopback } from '../src/check/is-loopback.ts';

describe('isLoopback', () => {
  it.each(['localhost', '127.0.0.1', '127.0.0.2', '127.255.255.254', '::1'])(
    '%s is this machine alone',
    (host) => {
      expect(isLoopback(host)).toBe(true);
    },
  );

  it.each(['0.0.0.0', '::', '128.0.0.1', '127.0.0.1.example.com', 'localhost.example.com', 'build-box', ''])(
    '%s is not',
    (host) => {
      expect(isLoopback(host)).toBe(false);
    },
  );
});
