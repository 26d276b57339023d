import { describe, expect, it } from 'vitest';
import { readHeaderValue } from '../src/transport/header-value.ts';

describe('readHeaderValue', () => {
  it.each(['ring', '', 'SGVsbG8=', '=?base64?SGVsbG8=', 'SGVsbG8=?=', '=?BASE64?SGVsbG8=?=', '=?base64?='])(
    'takes "%s" literally',
    (value) => {
      expect(readHeaderValue(value)).toBe(value);
    },
  );

  it.each([
    ['=?base64?SGVsbG8=?=', 'Hello'],
    ['=?base64??=', ''],
    ['=?base64?IHBhZGRlZCA=?=', ' padded '],
    [`=?base64?${Buffer.from('世界\n=?base64?x?=').toString('base64')}?=`, '世界\n=?base64?x?='],
  ])('decodes "%s"', (value, text) => {
    expect(readHeaderValue(value)).toBe(text);
  });

  it.each([
    ['missing padding', '=?base64?SGVsbG8?='],
    ['letters that are none', '=?base64?SGVs!!!bG8=?='],
    ['the alphabet of URLs', '=?base64?-_-_?='],
    ['too much padding', '=?base64?SGVsbG8==?='],
    ['spaces', '=?base64?SGVs bG8=?='],
    ['bytes that are no UTF-8', '=?base64?//8=?='],
  ])('refuses %s, which node would decode with gaps', (_case, value) => {
    expect(readHeaderValue(value)).toBeUndefined();
  });
});
