import { byTier, verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JpegSplitter } from '../../src/cli/push/jpeg-splitter.ts';

/** What may stand in a scan: FF before 00, or before the mark of a restart. */
const scanned = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 0, max: 0xfe }).map((byte) => [byte]) },
      { weight: 2, arbitrary: fc.constantFrom([0xff, 0x00], [0xff, 0xd0], [0xff, 0xd7]) },
    ),
    { maxLength: 60 },
  )
  .map((bytes) => bytes.flat());

const segment = (marker: number, content: readonly number[]): readonly number[] => [
  ...[0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 0xff],
  ...content,
];

/** A JPEG as far as its structure goes: segments, with fill bytes between, and scans. */
const jpegOf = (content: fc.Arbitrary<readonly number[]>) =>
  fc
    .record({
      segments: fc.array(
        fc.tuple(fc.constantFrom(0xe0, 0xe1, 0xdb, 0xc0, 0xc4, 0xfe), content, fc.nat({ max: 2 })),
        { maxLength: 5 },
      ),
      scans: fc.array(fc.tuple(scanned, scanned), { minLength: 1, maxLength: 3 }),
    })
    .map(({ segments, scans }) => [
      ...[0xff, 0xd8],
      ...segments.flatMap(([marker, bytes, fill]) => [...Array(fill).fill(0xff), ...segment(marker, bytes)]),
      ...scans.flatMap(([header, bytes]) => [...segment(0xda, header), ...bytes]),
      ...[0xff, 0xd9],
    ]);

/** Any bytes may be in a segment: a picture, too. */
const plainJpeg = jpegOf(fc.array(fc.nat({ max: 255 }), { maxLength: 40 }));
const jpeg = jpegOf(fc.oneof(fc.array(fc.nat({ max: 255 }), { maxLength: 40 }), plainJpeg));

/** What begins no picture. */
const garbage = fc.array(fc.nat({ max: 0xfe }), { maxLength: 30 });

/** Feeds bytes in pieces of any size. */
function split(splitter: JpegSplitter, bytes: readonly number[], cuts: readonly number[]): number[][] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const pictures: number[][] = [];
  let from = 0;
  for (const to of [...places, bytes.length]) {
    const piece = Uint8Array.from(bytes.slice(from, to));
    pictures.push(...splitter.push(piece).map((picture) => [...picture]));
    // Whoever reads a pipe may use its buffer again.
    piece.fill(0);
    from = to;
  }
  return pictures;
}

const cuts = fc.array(fc.nat({ max: 100_000 }), { maxLength: 60 });
const runs = { numRuns: byTier({ quick: 200, slow: 400, drill: 5_000 }) };

describe('the splitter of JPEGs', () => {
  it('gives every picture whole, whatever lies between them and in what pieces they come', () => {
    verifies('cli.push.pictures');
    fc.assert(
      fc.property(fc.array(fc.tuple(garbage, jpeg), { maxLength: 6 }), garbage, cuts, (parts, rest, at) => {
        const bytes = [...parts.flatMap(([before, picture]) => [...before, ...picture]), ...rest];
        const given = split(new JpegSplitter(100_000), bytes, at);
        expect(given).toEqual(parts.map(([, picture]) => picture));
      }),
      runs,
    );
  });

  it('gives none that breaks off in its scan, and the next one whole', () => {
    verifies('cli.push.pictures');
    const broken = fc
      .tuple(fc.array(fc.nat({ max: 255 }), { maxLength: 20 }), scanned)
      .map(([content, scan]) => [0xff, 0xd8, ...segment(0xe0, content), ...segment(0xda, []), ...scan]);
    fc.assert(
      fc.property(broken, jpeg, cuts, (half, whole, at) => {
        expect(split(new JpegSplitter(100_000), [...half, ...whole, ...half], at)).toEqual([whole]);
      }),
      runs,
    );
  });

  it('gives up what is larger than it may be, says so, and takes the next', () => {
    verifies('cli.push.pictures');
    const splitter = new JpegSplitter(1_000_000);
    const start = [0xff, 0xd8, ...segment(0xda, [])];
    const end = [0xff, 0xd9];
    const of = (length: number): Uint8Array => {
      const bytes = Buffer.alloc(length, 7);
      bytes.set(start);
      bytes.set(end, length - 2);
      return bytes;
    };
    expect(splitter.push(of(999_999)).map(({ length }) => length)).toEqual([999_999]);
    expect(splitter.push(of(1_000_000)).map(({ length }) => length)).toEqual([1_000_000]);
    expect(splitter.tooLarge).toBe(0);
    expect(splitter.push(of(1_200_000))).toEqual([]);
    expect(splitter.tooLarge).toBe(1);
    expect(splitter.push(of(50_000)).map(({ length }) => length)).toEqual([50_000]);
  });

  it('survives any bytes, and keeps no more of them than a picture may have', () => {
    verifies('cli.push.pictures');
    const nasty = fc.array(fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(0xff, 0xd8, 0xd9, 0xda, 0)), {
      maxLength: 400,
    });
    fc.assert(
      fc.property(nasty, jpeg, cuts, (bytes, whole, at) => {
        const splitter = new JpegSplitter(2_000);
        for (const picture of split(splitter, bytes, at)) {
          expect(picture.slice(0, 2)).toEqual([0xff, 0xd8]);
          expect(picture.slice(-2)).toEqual([0xff, 0xd9]);
        }
        // Whatever it takes for a segment ends at some time.
        for (let i = 0; i < 3; i++) splitter.push(new Uint8Array(70_000));
        expect(splitter.push(Uint8Array.from(whole)).map((one) => [...one])).toEqual([whole]);
      }),
      runs,
    );
  });
});
