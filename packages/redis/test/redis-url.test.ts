import { describe, expect, it } from 'vitest';
import { parseRedisUrl } from '../src/redis-url.ts';

describe('parseRedisUrl', () => {
  it('takes a URL apart', () => {
    expect(parseRedisUrl('rediss://user:p%40ss@[::1]:6380/3')).toEqual({
      ...{ host: '::1', port: 6380, username: 'user', password: 'p@ss', db: 3, tls: true },
    });
    expect(parseRedisUrl('redis://localhost')).toEqual({ host: 'localhost', port: 6379, db: 0, tls: false });
  });

  it('refuses what is none, and shows nothing of it', () => {
    expect(() => parseRedisUrl('http://user:secret@localhost')).toThrow(
      /^the URL of Redis begins with http: /,
    );
  });
});
