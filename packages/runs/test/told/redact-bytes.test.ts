import type { Json } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { cutValue } from '../../src/told/cut-value.ts';
import { redactBytes } from '../../src/told/redact-bytes.ts';

const picture = { media_type: 'image/png', data: 'aGVsbG8=' };

it('tells pictures by their size, behind a marker and as agents are given them', () => {
  verifies('listing.run.cut');
  const sizes = { media_type: 'image/png', bytes: 5 };
  expect(redactBytes({ input: 'Look.', images: [picture, { ...picture, data: 'aGVsbG8h' }] })).toEqual({
    input: 'Look.',
    images: [sizes, { ...sizes, bytes: 6 }],
  });
  expect(redactBytes([{ $image: picture }])).toEqual([{ $image: sizes }]);
});

it('tells no deeper than a run keeps', () => {
  verifies('run.values.deep');
  const nested = (levels: number): Json => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`) as Json;
  for (const levels of [512, 513]) expect(redactBytes(nested(levels))).toEqual(nested(levels));
  for (const levels of [514, 100_000])
    expect(JSON.stringify(redactBytes(nested(levels)))).toContain('["[nested too deeply to be told]"]');
});

it('leaves what is none as it is', () => {
  for (const value of [
    { media_type: 'text/plain', data: 'aGVsbG8=' },
    { media_type: 'image/png', data: 'not base64' },
    { media_type: 'image/png', data: '', bytes: 5 },
    { media_type: 7, data: 'aGVsbG8=' },
    ['image/png', 'aGVsbG8='],
    null,
  ])
    expect(redactBytes(value)).toEqual(value);
});

it.each([
  [99, undefined],
  [100, undefined],
  [101, 100],
])('shows a value whose JSON has %i characters of at most 100', (length, cut) => {
  verifies('listing.run.cut');
  const value = 'x'.repeat(length - 2);
  const shown = cut === undefined ? value : { $cut: `"${'x'.repeat(cut - 1)}`, chars: length };
  expect(cutValue(value, 100)).toEqual(shown);
});

it('does not cut between the halves of a character', () => {
  expect(cutValue('😀'.repeat(50), 100)).toEqual({ $cut: `"${'😀'.repeat(49)}`, chars: 102 });
});
