import type { Progress } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { type Reader, WrittenText } from '../../src/told/written-text.ts';

const reader = (joins = false, since = 0): Reader => ({ joins, since, places: new Map() });

const first = (): number => 0;
const step = (seq: number) => ({ run_id: 'r', seq });

/** What a reader is told, without whose it is. */
function told(events: Iterable<Progress>) {
  return [...events].map(({ event, data }) => {
    expect(event).toBe('delta');
    const { run_id: run, agent: _, ...more } = data as { readonly [member: string]: unknown };
    return { run, ...more };
  });
}

function writing(...pieces: readonly (readonly [run: string, text: string])[]): WrittenText {
  const texts = new WrittenText();
  for (const [run, text] of pieces) texts.write(run, { agent: 'desk', text }, first);
  return texts;
}

describe('what steps are writing', () => {
  it('is told to each reader once, in one piece for whoever was slow', () => {
    const texts = writing(['r', 'It ']);
    const [quick, slow] = [reader(), reader()];
    expect(told(texts.read(quick, 0))).toEqual([{ run: 'r', text: 'It ' }]);
    texts.write('r', { agent: 'desk', text: 'bur' }, first);
    texts.write('r', { agent: 'desk', text: 'ns.' }, first);
    expect(told(texts.read(quick, 0))).toEqual([{ run: 'r', text: 'burns.' }]);
    expect(told(texts.read(quick, 0))).toEqual([]);
    expect(told(texts.read(slow, 0))).toEqual([{ run: 'r', text: 'It burns.' }]);
  });

  it('is told to whoever joins as far as it has come, as something that begins', () => {
    const texts = writing(['r', 'It '], ['r.1', 'We ']);
    const late = reader(true);
    expect(told(texts.read(late, 0))).toEqual([
      { run: 'r', restart: true, text: 'It ' },
      { run: 'r.1', restart: true, text: 'We ' },
    ]);
    texts.write('r.1', { agent: 'desk', text: 'will.' }, first);
    expect(told(texts.read(late, 0))).toEqual([{ run: 'r.1', text: 'will.' }]);
  });

  it('begins anew where its step does', () => {
    const texts = writing(['r', 'It ']);
    const one = reader();
    told(texts.read(one, 0));
    texts.write('r', { agent: 'desk', restart: true }, first);
    expect(told(texts.read(one, 0))).toEqual([{ run: 'r', restart: true }]);
    texts.write('r', { agent: 'desk', text: 'They' }, first);
    expect(told(texts.read(one, 0))).toEqual([{ run: 'r', text: 'They' }]);
  });

  it('is told before its step, and what comes after that behind it', () => {
    const texts = writing(['r', 'one']);
    texts.end('r', 5, true);
    texts.write('r', { agent: 'desk', text: 'two' }, first);
    const one = reader();
    expect(told(texts.read(one, 4, step(4)))).toEqual([]);
    expect(told(texts.read(one, 4))).toEqual([{ run: 'r', text: 'one' }]);
    expect(told(texts.read(one, 4, step(5)))).toEqual([]);
    expect(told(texts.read(one, 5))).toEqual([{ run: 'r', text: 'two' }]);
  });

  it('is told whole before its step to whoever reads of that before it is heard here', () => {
    const texts = new WrittenText();
    texts.write('r', { agent: 'desk', text: 'It ' }, () => 3);
    const [one, late] = [reader(), reader(true)];
    told(texts.read(one, 3));
    texts.write('r', { agent: 'desk', text: 'burns.' }, () => 3);
    // An older step of the run, and a step of another one, have nothing to do with it.
    expect(told(texts.read(late, 2, step(3)))).toEqual([]);
    expect(told(texts.read(late, 3, { run_id: 'r.1', seq: 4 }))).toEqual([]);
    expect(told(texts.read(one, 3, step(4)))).toEqual([{ run: 'r', text: 'burns.' }]);
    texts.end('r', 4, true);
    expect(told(texts.read(one, 4))).toEqual([]);
  });

  it('is not told to whoever joins when its step was stored', () => {
    const texts = writing(['r', 'one']);
    texts.end('r', 5, true);
    texts.write('r', { agent: 'desk', text: 'two' }, first);
    expect(told(texts.read(reader(true, texts.ends), 4, step(5)))).toEqual([]);
    expect(told(texts.read(reader(true, texts.ends), 5))).toEqual([{ run: 'r', restart: true, text: 'two' }]);
  });

  it('is gone with its step where nobody reads', () => {
    const texts = writing(['r', 'one'], ['r.1', 'two']);
    texts.end('r', 5, false);
    expect(told(texts.read(reader(), 0))).toEqual([{ run: 'r.1', text: 'two' }]);
    texts.end('r.1', 6, true);
    expect(texts.empty).toBe(false);
    texts.forgetStored();
    expect(texts.empty).toBe(true);
  });

  it.each([
    ['under', 65_535, 0],
    ['at', 65_536, 0],
    ['over', 65_537, 65_537 - 49_152],
  ])('is kept to its end %s the bound', (_, length, omitted) => {
    const texts = writing(['r', 'x'.repeat(length - 1)]);
    texts.write('r', { agent: 'desk', text: 'y' }, first);
    const [whole = {}] = told(texts.read(reader(), 0));
    const { text, ...more } = whole as { readonly text: string };
    expect(text).toHaveLength(length - omitted);
    expect(text.endsWith('xy')).toBe(true);
    expect(more).toEqual({ run: 'r', ...(omitted > 0 && { restart: true, omitted }) });
  });

  it('gives way to what is written now once it is stored', () => {
    const texts = writing(['r', 'x'.repeat(40_000)]);
    texts.end('r', 5, true);
    texts.write('r.1', { agent: 'desk', text: 'y'.repeat(40_000) }, first);
    expect(told(texts.read(reader(), 0)).map(({ run }) => run)).toEqual(['r.1']);
  });

  it('stays within the bound for any number of runs that write at once', () => {
    const texts = new WrittenText();
    for (let i = 0; i < 500; i++)
      texts.write(`r.${i % 50}`, { agent: 'desk', text: 'z'.repeat(1_000) }, first);
    const kept = told(texts.read(reader(true), 0)) as unknown as readonly { readonly text?: string }[];
    expect(kept.reduce((sum, { text = '' }) => sum + text.length, 0)).toBeLessThanOrEqual(65_536);
    expect(kept).toHaveLength(50);
  });
});
