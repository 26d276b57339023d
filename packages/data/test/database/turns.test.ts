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
      turns.take(() => first.work().then(() => void done.push('first'))),
      turns.take(async () => {
        done.push('second');
        throw new Error('no');
      }),
      turns.take(async () => void done.push('third')),
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
    const begun = turns.take(() => first.work().then(() => void done.push('first')));
    const late = turns.take(async () => void done.push('late'));
    await expect(late).rejects.toMatchObject({ status: 503, message: 'the database is busy' });
    const next = turns.take(async () => void done.push('next'));
    first.end();
    await Promise.all([begun, next]);
    expect(done).toEqual(['first', 'next']);
  });

  it('takes back what has not begun', async () => {
    const turns = new Turns(1_000);
    const first = held();
    const begun = turns.take(first.work);
    const leaving = new AbortController();
    const left = turns.take(() => Promise.reject(new Error('it was done')), leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    await expect(turns.take(async () => 1, leaving.signal)).rejects.toThrow('gone');
    first.end();
    await begun;
  });
});
