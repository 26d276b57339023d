import { describe, expect, it } from 'vitest';
import { UnreadText } from '../../src/http/unread-text.ts';

// Node 20 has no way to give something back.
const given = 'transfer' in ArrayBuffer.prototype;

describe('UnreadText', () => {
  const text = 'é'.repeat(40_000);

  it('is read once, and its bytes are given back', () => {
    const bytes = Buffer.from(new TextEncoder().encode(text).buffer);
    const unread = new UnreadText(bytes);
    expect(unread.length).toBe(80_000);
    expect(unread.read()).toBe(text);
    expect(bytes.length).toBe(given ? 0 : 80_000);
    expect(unread.length).toBe(80_000);
  });

  it('is dropped unread, and more than once', () => {
    const bytes = Buffer.from(new TextEncoder().encode(text).buffer);
    const unread = new UnreadText(bytes);
    unread.drop();
    unread.drop();
    expect(bytes.length).toBe(given ? 0 : 80_000);
  });

  it('keeps the little that is not worth it', () => {
    const bytes = Buffer.from('short');
    expect(new UnreadText(bytes).read()).toBe('short');
    expect(bytes.toString()).toBe('short');
  });
});
