import { describe, expect, it } from 'vitest';
import { isRightToLeft, toVisible, toVisibleParts } from '../../src/text/index.ts';

const unseen = [
  ...[0x00, 0x07, 0x08, 0x0b, 0x0c, 0x0d, 0x1b, 0x7f, 0x85, 0x9b],
  ...[0xad, 0x34f, 0x61c, 0x115f, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f],
  ...[0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2060, 0x2064],
  ...[0x2066, 0x2067, 0x2068, 0x2069, 0x206a, 0x206f, 0x2800, 0x3164, 0xd800, 0xdfff],
  ...[0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xfffb, 0x1d173, 0xe0001, 0xe0041, 0xe0100],
];

describe('texts of others', () => {
  it.each(unseen)('show the character %i, which is not seen by itself', (code) => {
    const hex = code.toString(16);
    const written = code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
    expect(toVisible(`a${String.fromCodePoint(code)}b`)).toBe(`a${written}b`);
  });

  it.each(['EUR 5,000\n\tnext', 'line\r\nline', 'Łódź 東京 naïve', '❤️ 👨‍👩‍👧 👍🏽 🚒', 'שלום عربي'])(
    'stay as they are: %j',
    (text) => {
      expect(toVisible(text)).toBe(text);
      expect(toVisibleParts(text)).toEqual([{ text, escaped: false }]);
    },
  );

  it('hide nothing beside a picture', () => {
    expect(toVisible('❤\ufe0f\ufe0f')).toBe('❤\ufe0f\\ufe0f');
    expect(toVisible('👍\u200d')).toBe('👍\\u200d');
    expect(toVisible('\u200d👍')).toBe('\\u200d👍');
  });

  it('tell an escape from the same text written out', () => {
    expect(toVisibleParts('\\u202e \u202e\u2066')).toEqual([
      { text: '\\u202e ', escaped: false },
      { text: '\\u202e\\u2066', escaped: true },
    ]);
  });

  it.each([
    [499, 998],
    [500, 1_000],
    [501, 1],
  ])('are taken apart while a browser can draw the pieces: %i escapes make %i', (escapes, pieces) => {
    const parts = toVisibleParts('a\u202e'.repeat(escapes));
    expect(parts.length).toBe(pieces);
    expect(parts.map(({ text }) => text).join('')).toBe('a\\u202e'.repeat(escapes));
  });

  it.each([
    ['שלום', true],
    ['a عربي', true],
    ['\u{1e900}', true],
    ['naïve 東京 €5', false],
  ])('%j is read from right to left somewhere: %s', (text, expected) => {
    expect(isRightToLeft(text)).toBe(expected);
  });
});
