import { describe, expect, it } from 'vitest';
import { redisUrlFault } from '../src/hub/redis-url.ts';

describe('redisUrlFault', () => {
  it.each([
    'redis://localhost',
    'redis://127.0.0.1:6380/3',
    'rediss://user:p%40ss@redis.example.com',
    'redis://:word@[::1]:6379/',
  ])('has nothing to say of %s', (url) => {
    expect(redisUrlFault(url)).toBeUndefined();
  });

  it.each([
    ['localhost:6379', 'begins with localhost: in place of redis://'],
    ['here', 'is no URL'],
    ['http://user:secret@localhost', 'begins with http: in place of redis://'],
    ['redis://user:secret@', 'is no URL'],
    ['redis:///3', 'names no host'],
    ['redis://user:secret@localhost/all', 'is not the number of a database'],
    ['redis://user:secret@localhost?db=3', 'more than a host and a database'],
    ['redis://user:sec%ret@localhost', 'not encoded for a URL'],
  ])('says what is wrong with %s, and shows no password', (url, words) => {
    const fault = redisUrlFault(url);
    expect(fault).toContain(words);
    expect(fault).not.toContain('secret');
  });
});
