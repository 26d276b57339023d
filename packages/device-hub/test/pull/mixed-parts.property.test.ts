import { verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MixedParts, mixedBoundary } from '../../src/pull/mixed-parts.ts';

const boundary = 'cut';
/** Bytes in which neither the boundary nor the end of a line stands. */
const content = fc
  .uint8Array({ minLength: 1, maxLength: 300 })
  .map((bytes) => bytes.map((one) => one | 0x80));

/** A body as cameras write it, in one of their ways. */
const part = fc.record({
  bytes: content,
  says: fc.boolean(),
  end: fc.constantFrom('\r\n\r\n', '\n\n'),
  before: fc.constantFrom('', '\r\n', '--cut--\r\n', 'noise'),
});

function toBody(parts: readonly { bytes: Uint8Array; says: boolean; end: string; before: string }[]): Buffer {
  return Buffer.concat(
    parts.flatMap(({ bytes, says, end, before }, i) => {
      // Noise behind a part of unknown length would be part of it.
      const noise = i === 0 || parts[i - 1]?.says ? before : '\r\n';
      const line = end.slice(0, end.length / 2);
      const length = says ? `${line}content-length: ${bytes.length}` : '';
      return [Buffer.from(`${noise}--cut${line}Content-Type: image/jpeg${length}${end}`), Buffer.from(bytes)];
    }),
  );
}

describe('MixedParts', () => {
  it('gives the same parts, whatever the pieces in which they come', () => {
    verifies('hub.pull.mjpeg-source');
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 200 })),
        (parts, cuts) => {
          const body = toBody(parts);
          const reader = new MixedParts(boundary, 1_000);
          const seen: Uint8Array[] = [];
          let at = 0;
          for (const cut of [...cuts, body.length]) {
            seen.push(...reader.add(body.subarray(at, at + cut)));
            at += cut;
          }
          const rest = reader.end();
          if (rest) seen.push(rest);
          expect(seen.map((one) => [...one])).toEqual(parts.map(({ bytes }) => [...bytes]));
        },
      ),
    );
  });

  it('refuses a part that is too large as soon as it knows', () => {
    verifies('hub.pull.bounded');
    const head = (length: string): Buffer => Buffer.from(`--cut\r\n${length}\r\n\r\n`);
    expect(new MixedParts(boundary, 10).add(head('Content-Length: 10'))).toEqual([]);
    expect(() => new MixedParts(boundary, 10).add(head('Content-Length: 11'))).toThrow('too large');
    const exact = new MixedParts(boundary, 10);
    exact.add(head('x: y'));
    exact.add(Buffer.alloc(10));
    expect(exact.add(Buffer.from('\r\n--cut\r\n\r\n'))).toHaveLength(1);
    const over = new MixedParts(boundary, 10);
    over.add(head('x: y'));
    expect(() => over.add(Buffer.concat([Buffer.alloc(11), Buffer.from('\r\n--cut')]))).toThrow('too large');
    const endless = new MixedParts(boundary, 10);
    endless.add(head('x: y'));
    expect(() => {
      for (let i = 0; i < 30; i++) endless.add(Buffer.alloc(1));
    }).toThrow('too large');
    expect(() => new MixedParts(boundary, 10).add(Buffer.from(`--cut\r\n${'x'.repeat(9_000)}`))).toThrow(
      'told apart',
    );
  });

  it('holds little of what is no part, and costs the same however small the pieces are', () => {
    verifies('hub.pull.bounded');
    const reader = new MixedParts(boundary, 4_000_000);
    const before = process.cpuUsage();
    for (let i = 0; i < 200; i++) reader.add(Buffer.alloc(65_536, '--cu'));
    for (let i = 0; i < 20_000; i++) reader.add(Buffer.from('--cut--'));
    reader.add(Buffer.from('--cut\r\n\r\n'));
    for (let i = 0; i < 60_000; i++) reader.add(Buffer.alloc(50, '--cu'));
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(3_000);
    expect(reader.add(Buffer.from('\r\n--cut'))).toHaveLength(1);
  });

  it('takes as long for each head, however many of them come at once', () => {
    verifies('hub.pull.bounded');
    const take = (heads: number): number => {
      const reader = new MixedParts('x', 1_000);
      const piece = Buffer.from('--x\r\n\r\n'.repeat(heads));
      const before = process.cpuUsage();
      reader.add(piece);
      return process.cpuUsage(before).user;
    };
    // The least of some: other threads of the process collect and compile meanwhile.
    const [few = 0, many = 0] = [2_000, 32_000].map((heads) =>
      Math.min(...Array.from({ length: 5 }, () => take(heads))),
    );
    // Sixteen times as many; each looked for to the end of the piece, it would be 256 times as long.
    expect(many).toBeLessThan(100 * Math.max(1_000, few));
  });

  it('finds the end of a long head that comes a byte at a time', () => {
    verifies('hub.pull.mjpeg-source');
    const reader = new MixedParts('x', 1_000);
    for (let i = 0; i < 3; i++) {
      const head = `--x\r\n${'a:\r\n'.repeat(1_900)}b: c\r\n\r\n`;
      for (const byte of Buffer.from(`${head}here\r\n--`))
        expect(reader.add(Uint8Array.of(byte))).toEqual([]);
      expect(reader.add(Buffer.from('x\r\n\r\n'))).toEqual([new Uint8Array(Buffer.from('here'))]);
    }
  });
});

describe('mixedBoundary', () => {
  it.each([
    ['multipart/x-mixed-replace; boundary=cut', 'cut'],
    ['multipart/x-mixed-replace;boundary="a b"', 'a b'],
    ['Multipart/Mixed; charset=x; Boundary=--cut', 'cut'],
    ['multipart/x-mixed-replace', undefined],
    ['multipart/x-mixed-replace; boundary=""', undefined],
    ['image/jpeg; boundary=cut', undefined],
    ['', undefined],
  ])('of %s is %s', (mediaType, expected) => {
    expect(mixedBoundary(mediaType)).toBe(expected);
  });
});
