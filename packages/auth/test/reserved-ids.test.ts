import { describe, expect, it } from 'vitest';
import { readableId, unclearId } from '../src/reserved-ids.ts';

describe('unclearId', () => {
  it.each([
    ['ad\u0000a', 'cannot be seen'],
    ['ad\u200ba', 'cannot be seen'],
    ['\ufeffada', 'cannot be seen'],
    ['ada\ufe0f', 'cannot be seen'],
    ['ada\u2029', 'cannot be seen'],
    ['ada\ud800', 'is none'],
    ['ada\ufffd', 'is none'],
    ['ada\u0378', 'is none'],
    ['ada\uffff', 'is none'],
    ['ada ', 'white space'],
    ['\u00a0ada', 'white space'],
    ['e\u0301', 'NFC'],
    ['\u212b', 'NFC'],
  ])('says why %j cannot be told from another', (id, why) => {
    expect(unclearId(id)).toContain(why);
  });

  it.each([
    'ada',
    'ada lovelace',
    'auth0|5f7c',
    'andré',
    'Ада 🦉',
    '山田',
    'a'.repeat(200),
    'ada@example.com',
  ])('finds nothing in %j', (id) => {
    expect(unclearId(id)).toBeUndefined();
  });
});

describe('readableId', () => {
  it('shows what cannot be seen by its number', () => {
    expect(readableId(' ad\u200ba\n\u{e0041}')).toBe('" ad\\u{200b}a\\u{a}\\u{e0041}"');
    expect(readableId('andré')).toBe('"andré"');
  });
});
