import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { Turns } from '../../src/database/driver/turns.ts';

/** Work that ends when it is told to. */
function held() {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work: () => ended, end: () => end() };
}

describe('Turns', () => {
  it('does one thing after another, in their order, whatever becomes of them', async () => {
    const turns = new Turns(1_000);
    const done: string[] = [];
    const first = held();
    const all = [
      turns.write(() => first.work().then(() => void done.push('first'))),
      turns.write(async () => {
        done.push('second');
        throw new Error('no');
      }),
      turns.write(async () => void done.push('third')),
    ];
    expect(done).toEqual([]);
    first.end();
    await Promise.allSettled(all);
    expect(done).toEqual(['first', 'second', 'third']);
    await expect(all[1]).rejects.toThrow('no');
  });

  it('is 503 for what waits too long, and lets nothing past what is under way', async () => {
    const turns = new Turns(20);
    const first = held();
    const done: string[] = [];
    const begun = turns.write(() => first.work().then(() => void done.push('first')));
    const late = turns.write(async () => void done.push('late'));
    await expect(late).rejects.toMatchObject({ status: 503, message: 'the database is busy' });
    const next = turns.write(async () => void done.push('next'));
    first.end();
    await Promise.all([begun, next]);
    expect(done).toEqual(['first', 'next']);
  });

  it('takes back what has not begun', async () => {
    const turns = new Turns(1_000);
    const first = held();
    const begun = turns.write(first.work);
    const leaving = new AbortController();
    const left = turns.write(() => Promise.reject(new Error('it was done')), leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    await expect(turns.write(async () => 1, leaving.signal)).rejects.toThrow('gone');
    first.end();
    await begun;
  });

  it('lets a write wait for one transaction, and a transaction for one of each other caller', async () => {
    verifies('sql.wait.sum');
    const turns = new Turns(1_000);
    const first = held();
    const done: string[] = [];
    const does = (name: string) => async () => void done.push(name);
    const all = [
      turns.transaction(first.work, undefined, 'a'),
      turns.transaction(does('second of a'), undefined, 'a'),
      turns.transaction(does('first of b'), undefined, 'b'),
      turns.write(does('write')),
    ];
    first.end();
    await Promise.all(all);
    expect(done).toEqual(['write', 'first of b', 'second of a']);
  });

  it('gives each caller the next write', async () => {
    verifies('sql.write.turns');
    const turns = new Turns(1_000);
    const first = held();
    const done: string[] = [];
    const write = (name: string) =>
      turns.write(async () => void done.push(name), undefined, name.slice(0, 1));
    const all = [turns.write(first.work, undefined, 'a'), ...['a1', 'a2', 'a3', 'b1'].map(write)];
    first.end();
    await Promise.all(all);
    expect(done).toEqual(['b1', 'a1', 'a2', 'a3']);
  });
});
