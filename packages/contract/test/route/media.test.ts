import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { media, mediaTypeOf, textOf } from '../../src/route/media.ts';

describe('media', () => {
  it('makes a schema that says its media type', () => {
    expect(mediaTypeOf(media('image/png'))).toBe('image/png');
    expect(JSON.parse(JSON.stringify(media('image/png')))).toEqual({
      contentMediaType: 'image/png',
      contentEncoding: 'binary',
    });
  });
});

describe('mediaTypeOf', () => {
  it('is undefined for JSON, and for text that holds encoded bytes', () => {
    expect(mediaTypeOf(Type.Object({}))).toBeUndefined();
    expect(
      mediaTypeOf({ type: 'string', contentMediaType: 'image/png', contentEncoding: 'base64' }),
    ).toBeUndefined();
    expect(mediaTypeOf({ contentEncoding: 'binary' })).toBeUndefined();
  });
});

describe('textOf', () => {
  it.each([
    ['text/plain', [0xc3, 0xa9], 'é'],
    ['text/plain; charset=latin1', [0xe9], 'é'],
    ['text/plain;Charset="ISO-8859-1"', [0xe9], 'é'],
    ['text/csv; header=present; charset=utf-16le', [0xe9, 0x00], 'é'],
    ['text/plain; charset=of-nobody', [0xc3, 0xa9], 'é'],
    ['text/plain; charset=', [0xc3, 0xa9], 'é'],
    // RFC 8259, 8.1: it has no other.
    ['application/json; charset=latin1', [0x22, 0xc3, 0xa9, 0x22], '"é"'],
  ])('reads %s', (mediaType, bytes, text) => {
    expect(textOf(Uint8Array.from(bytes), mediaType)).toBe(text);
  });
});
