import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { media, mediaTypeOf } from '../../src/route/media.ts';

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
