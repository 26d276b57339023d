import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { Turns } from '../src/call/turns.ts';

const never = new AbortController().signal;

/** Work that notes each of its pieces, and keeps the process from all else for so long. */
function* work(name: string, pieces: number, notes: string[], ms = 0): Generator<void, string> {
  for (let i = 0; i < pieces; i++) {
    const endMs = performance.now() + ms;
    notes.push(`${name}${i}`);
    while (performance.now() < endMs);
    yield;
  }
  return name;
}

describe('Turns', () => {
  it('does the work of one after the other, in their order', async () => {
    const turns = new Turns();
    const notes: string[] = [];
    const works = ['a', 'b'].map((name) => turns.take(work(name, 2, notes), 'anybody', never));
    expect(await Promise.all(works)).toEqual(['a', 'b']);
    expect(notes).toEqual(['a0', 'a1', 'b0', 'b1']);
  });

  it('lets others have a turn between two pieces that take long', async () => {
    const notes: string[] = [];
    const long = new Turns().take(work('a', 3, notes, 5), 'anybody', never);
    const other = setInterval(() => notes.push('other'), 1);
    await long;
    clearInterval(other);
    const withoutRuns = notes.filter((note, i) => note !== notes[i - 1]);
    expect(withoutRuns.slice(0, 5)).toEqual(['a0', 'other', 'a1', 'other', 'a2']);
  });

  it('goes on with the next one when a work fails', async () => {
    const turns = new Turns();
    const broken = turns.take(
      (function* () {
        yield;
        throw new Error('broken');
      })(),
      'anybody',
      never,
    );
    const next = turns.take(work('b', 1, []), 'anybody', never);
    await expect(broken).rejects.toThrow('broken');
    expect(await next).toBe('b');
  });

  it('does nothing more for who has gone, in the line or between two pieces', async () => {
    const turns = new Turns();
    const notes: string[] = [];
    const gone = new AbortController();
    const waiting = new AbortController();
    const works = [
      turns.take(work('a', 100, notes, 5), 'anybody', gone.signal),
      turns.take(work('b', 1, notes), 'anybody', waiting.signal),
      turns.take(work('c', 1, notes), 'anybody', never),
    ];
    waiting.abort(new Error('b has gone'));
    setTimeout(() => gone.abort(new Error('a has gone')), 1);
    expect(await Promise.allSettled(works)).toMatchObject([
      { reason: { message: 'a has gone' } },
      { reason: { message: 'b has gone' } },
      { value: 'c' },
    ]);
    expect(notes.at(-1)).toBe('c0');
    expect(notes.length).toBeLessThan(50);
    expect(notes).not.toContain('b0');
  });

  it('does a work at once where nobody else is at work', async () => {
    const notes: string[] = [];
    const done = new Turns().take(work('a', 1, notes), 'anybody', never);
    expect(notes).toEqual(['a0']);
    expect(await done).toBe('a');
  });

  it('lets others have a turn between two works that take long', async () => {
    const turns = new Turns();
    const notes: string[] = [];
    setImmediate(() => notes.push('other'));
    await Promise.all(['a', 'b'].map((name) => turns.take(work(name, 1, notes, 5), 'anybody', never)));
    expect(notes).toEqual(['a0', 'other', 'b0']);
  });

  it('gives each caller a turn, however many works another one has', async () => {
    verifies('http.body.turns');
    const turns = new Turns();
    const notes: string[] = [];
    const many = Array.from({ length: 20 }, (_, i) => turns.take(work(`m${i}-`, 1, notes, 5), 'many', never));
    await Promise.all([
      turns.take(work('a', 1, notes, 5), 'ann', never),
      turns.take(work('b', 1, notes, 5), 'ben', never),
    ]);
    expect(notes.indexOf('a0')).toBe(1);
    expect(notes.indexOf('b0')).toBe(2);
    expect(await Promise.all(many)).toHaveLength(20);
  });

  it('lets others in between the turns of a long work, and not the next one of its caller', async () => {
    const turns = new Turns();
    const notes: string[] = [];
    const long = turns.take(work('long', 4, notes, 5), 'ann', never);
    const next = turns.take(work('next', 1, notes), 'ann', never);
    const other = turns.take(work('other', 1, notes), 'ben', never);
    await Promise.all([long, next, other]);
    expect(notes).toEqual(['long0', 'other0', 'long1', 'long2', 'long3', 'next0']);
  });
});
