import { describe, expect, it } from 'vitest';
import { Attempts } from '../src/request/attempts.ts';
import { type OpenEntry, RequestLog } from '../src/request/request-log.ts';

const entry = (id: string): OpenEntry => ({
  id,
  format: 'openai',
  method: 'POST',
  path: '/',
  headers: {},
  auth: 'none',
  body: undefined,
  attempt: 1,
  outcome: 'open',
  status: undefined,
  usage: undefined,
});

describe('RequestLog', () => {
  it('forgets the oldest bodies when together they are too large, and keeps their entries', () => {
    const log = new RequestLog(10);
    const add = (id: string, megabytes: number) => {
      const added = entry(id);
      log.add(added);
      log.setBody(added, { id }, megabytes * 1024 * 1024);
    };
    const bodies = () => log.entries.map(({ id, body }) => [id, body !== undefined]);
    add('a', 100);
    add('b', 100);
    add('c', 56);
    expect(bodies()).toEqual([
      ['a', true],
      ['b', true],
      ['c', true],
    ]);
    add('d', 1);
    expect(bodies()).toEqual([
      ['a', false],
      ['b', true],
      ['c', true],
      ['d', true],
    ]);
  });

  it('does not change under whoever reads it', () => {
    const log = new RequestLog(1);
    log.add(entry('a'));
    const read = log.entries;
    log.add(entry('b'));
    expect([read.map(({ id }) => id), log.entries.map(({ id }) => id)]).toEqual([['a'], ['b']]);
  });
});

describe('Attempts', () => {
  it('forgets the requests that did not come for longest', () => {
    const attempts = new Attempts(2);
    attempts.begin('a');
    attempts.begin('b');
    expect(attempts.begin('a')).toBe(2);
    attempts.begin('c');
    expect([attempts.begin('a'), attempts.begin('b')]).toEqual([3, 1]);
  });
});
