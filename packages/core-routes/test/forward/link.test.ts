import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createLink, type Link } from '../../src/forward/index.ts';
import { socketPair } from './pair.ts';

function inbox<In>(link: Link<unknown, In>): readonly In[] {
  const messages: In[] = [];
  link.onMessage((message) => void messages.push(message));
  return messages;
}

describe('a link', () => {
  it('tells messages whole and in order, bytes as bytes, however they are cut', async () => {
    const [here, there] = await socketPair();
    const source = createLink<unknown, unknown>(here);
    const got = inbox(createLink<unknown, unknown>(there));
    const sent = Array.from({ length: 300 }, (_, i) => ({
      i,
      bytes: Buffer.alloc(i * 37, i),
      text: '世'.repeat(i),
    }));
    for (const message of sent) source.send(message);
    await expect.poll(() => got.length).toBe(sent.length);
    expect(got).toEqual(sent);
  });

  it('puts a message together that comes byte by byte', async () => {
    const [here, there] = await socketPair();
    const lines: Buffer[] = [];
    const source = createLink<unknown, unknown>(here);
    there.once('data', (bytes: Buffer) => lines.push(bytes));
    source.send(['a', 7]);
    await once(there, 'data');
    const [back, forth] = await socketPair();
    const got = inbox(createLink<unknown, unknown>(forth));
    for (const byte of Buffer.concat([...lines, ...lines])) back.write(Buffer.of(byte));
    await expect
      .poll(() => got)
      .toEqual([
        ['a', 7],
        ['a', 7],
      ]);
  });

  it.each([
    ['under', 99, true],
    ['at', 100, true],
    ['over', 101, false],
  ])('takes a message %s its limit, or ends', async (_, bytes, taken) => {
    const [here, there] = await socketPair();
    const link = createLink<unknown, unknown>(there, 100);
    const got = inbox(link);
    const closed = new Promise<void>((resolve) => link.onClose(resolve));
    // What V8 writes in front of a text.
    const overhead = 4;
    createLink<unknown, unknown>(here).send('x'.repeat(bytes - overhead));
    if (taken) await expect.poll(() => got.length).toBe(1);
    else await closed;
    expect(link.open).toBe(taken);
  });

  it('says what cannot be copied to who sends it', async () => {
    const [here] = await socketPair();
    const link = createLink<unknown, unknown>(here);
    expect(() => link.send({ call: () => {} })).toThrow('could not be cloned');
    expect(link.buffered).toBe(0);
  });

  it('tells both sides that it is closed, and sends before it closes', async () => {
    const [here, there] = await socketPair();
    const source = createLink<unknown, unknown>(here);
    const target = createLink<unknown, unknown>(there);
    const got = inbox(target);
    const closed = Promise.all(
      [source, target].map((link) => new Promise<void>((resolve) => link.onClose(resolve))),
    );
    source.send('last');
    source.close();
    await closed;
    expect(got).toEqual(['last']);
    source.send('dropped');
    await new Promise<void>((resolve) => source.onClose(resolve));
  });
});
