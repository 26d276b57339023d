import { describe, expect, it } from 'vitest';
import { createEventReader, type StreamEvent } from '../src/transport/event-stream.ts';

function read(text: string, pieceBytes = 1000): readonly StreamEvent[] {
  const events: StreamEvent[] = [];
  const reader = createEventReader((event) => events.push(event));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.write(bytes.subarray(at, at + pieceBytes));
  reader.end();
  return events;
}

describe('createEventReader', () => {
  it.each([1, 2, 3, 7, 1000])('reads events from pieces of %d bytes', (pieceBytes) => {
    const text =
      ': hello\r\n\r\nevent: a\r\ndata: {"é": "😀"}\r\n\r\ndata:one\ndata: two\nid: 7\n\nretry: 1\n\ndata: last';
    expect(read(text, pieceBytes)).toEqual([
      { name: 'a', data: '{"é": "😀"}' },
      { name: '', data: 'one\ntwo' },
      { name: '', data: 'last' },
    ]);
  });

  it('takes a long line in small pieces in little time', () => {
    const startedMs = performance.now();
    expect(read(`data: ${'x'.repeat(2_000_000)}`, 200)).toHaveLength(1);
    expect(performance.now() - startedMs).toBeLessThan(2000);
  });

  it('gives up on a line that does not end', () => {
    const reader = createEventReader(() => {});
    const piece = Buffer.alloc(1_048_576, 'x');
    expect(() => {
      for (let i = 0; i < 9; i++) reader.write(piece);
    }).toThrow(RangeError);
  });
});
