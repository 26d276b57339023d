import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LineRelay } from '../src/workers/line-relay.ts';

/** What comes out of two processes whose pieces come in turn. */
async function relayed(pieces: readonly (readonly [from: 0 | 1, text: string])[]): Promise<string> {
  const to = new PassThrough();
  let text = '';
  to.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  const from = [new PassThrough(), new PassThrough()] as const;
  for (const one of from) new LineRelay(one, to);
  for (const [i, text] of pieces) {
    from[i].write(text);
    await new Promise(setImmediate);
  }
  const ended = from.map((one) => new Promise((resolve) => one.once('end', resolve)));
  for (const one of from) one.end();
  await Promise.all(ended);
  await new Promise((resolve) => to.end(resolve));
  await new Promise(setImmediate);
  return text;
}

describe('the lines of several processes', () => {
  it('stay whole, however they come', async () => {
    const pieces = [
      [0, 'a1'],
      [1, 'b1\nb'],
      [0, 'a2\n'],
      [1, '2\nb3\n'],
    ] as const;
    expect((await relayed(pieces)).split('\n')).toEqual(['b1', 'a1a2', 'b2', 'b3', '']);
  });

  it('are told to the last one, without an end too', async () => {
    expect(await relayed([[0, 'one\ntwo']])).toBe('one\ntwo');
  });

  it('are lost where nobody takes them any more, and keep nobody', async () => {
    const [from, to] = [new PassThrough(), new PassThrough({ highWaterMark: 1 })];
    new LineRelay(from, to);
    from.write('kept\n');
    await expect.poll(() => from.isPaused()).toBe(true);
    to.destroy();
    await expect.poll(() => from.isPaused()).toBe(false);
    from.write('lost\n');
    await new Promise(setImmediate);
    expect([from.isPaused(), from.readableLength]).toEqual([false, 0]);
  });

  it.each([
    ['under', 1_048_575, false],
    ['at', 1_048_576, true],
    ['over', 1_048_577, true],
  ])('are passed on in parts where one is %s the limit', async (_, length, torn) => {
    const text = await relayed([
      [0, 'x'.repeat(length)],
      [0, 'y'],
      [1, 'b\n'],
      [0, '\n'],
    ]);
    expect(text.startsWith('x')).toBe(torn);
  });
});
