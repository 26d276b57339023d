import { describe, expect, it } from 'vitest';
import { toETag } from '../../src/response/etag.ts';

describe('toETag', () => {
  it('is a quoted, strong tag: equal for equal bytes, however they are held', () => {
    expect(toETag('hello')).toMatch(/^"[\w-]{22}"$/);
    expect(toETag(Buffer.from('hello'))).toBe(toETag('hello'));
    expect(toETag('hello!')).not.toBe(toETag('hello'));
  });
});
