import { describe, expect, it } from 'vitest';
import {
  audio,
  image,
  readMarker,
  resource,
  resourceLink,
  toMarker,
} from '../../src/tools/content-markers.ts';

const bytes = new Uint8Array([1, 2, 3]);
const data = 'AQID';
const latin1 = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));

describe('image', () => {
  it.each([
    ['image/png', '\x89PNG\r\n\x1a\n\0'],
    ['image/jpeg', '\xff\xd8\xff\xe0'],
    ['image/gif', 'GIF89a'],
    ['image/gif', 'GIF87a'],
    ['image/webp', 'RIFF\0\n\0\0WEBPVP8'],
  ])('tells %s from its bytes', (mediaType, head) => {
    const given = latin1(head);
    expect(image(given)).toEqual({
      $image: { media_type: mediaType, data: Buffer.from(given).toString('base64') },
    });
  });

  it.each(['', 'GIF90a', '\x89PNG', 'RIFF\0\0\0\0WAVE', '<svg/>'])('does not guess at %j', (head) => {
    expect(() => image(latin1(head))).toThrow(TypeError);
  });

  it('takes any bytes whose media type is named', () => {
    expect(image(bytes, 'image/avif')).toEqual({ $image: { media_type: 'image/avif', data } });
  });

  it('takes no more than the view of a larger buffer', () => {
    expect(image(new Uint8Array([9, 1, 2, 3, 9]).subarray(1, 4), 'image/png').$image.data).toBe(data);
  });
});

describe('audio, resource and resourceLink', () => {
  it('put sounds, content with an address, and addresses into JSON', () => {
    expect(audio(bytes, 'audio/wav')).toEqual({ $audio: { media_type: 'audio/wav', data } });
    expect(resource('test://a', 'Hi')).toEqual({
      $resource: { uri: 'test://a', media_type: 'text/plain', text: 'Hi' },
    });
    expect(resource('test://a', '{}', 'application/json').$resource.media_type).toBe('application/json');
    expect(resource('test://a', bytes)).toEqual({
      $resource: { uri: 'test://a', media_type: 'application/octet-stream', data },
    });
    expect(resourceLink('test://a', 'A')).toEqual({ $resource_link: { uri: 'test://a', name: 'A' } });
    expect(resourceLink('test://a', 'A', { mediaType: 'text/html', size: 3, title: 'T' })).toEqual({
      $resource_link: { uri: 'test://a', name: 'A', title: 'T', size: 3, media_type: 'text/html' },
    });
  });
});

describe('toMarker', () => {
  it.each([
    ['image/png', '$image'],
    ['audio/mpeg', '$audio'],
    ['application/zip', '$bytes'],
  ])('marks %s as %s', (mediaType, name) => {
    expect(toMarker(bytes, mediaType)).toEqual({ [name]: { media_type: mediaType, data } });
  });
});

describe('readMarker', () => {
  it('reads back what was marked, also after JSON', () => {
    const there = (value: unknown) => readMarker(JSON.parse(JSON.stringify(value)));
    expect(there(image(bytes, 'image/png'))).toEqual({ kind: 'image', media_type: 'image/png', data });
    expect(there(audio(bytes, 'audio/wav'))).toEqual({ kind: 'audio', media_type: 'audio/wav', data });
    expect(there(toMarker(bytes, 'a/b'))).toEqual({ kind: 'bytes', media_type: 'a/b', data });
    expect(there(resource('u', 'Hi'))).toEqual({
      ...{ kind: 'resource', uri: 'u', media_type: 'text/plain', text: 'Hi' },
    });
    expect(there(resource('u', bytes))).toEqual({
      ...{ kind: 'resource', uri: 'u', media_type: 'application/octet-stream', data },
    });
    const all = { title: 'T', description: 'D', size: 3 };
    expect(there(resourceLink('u', 'n', { ...all, mediaType: 'a/b' }))).toEqual({
      ...{ kind: 'resource_link', uri: 'u', name: 'n', ...all, media_type: 'a/b' },
    });
  });

  it.each([
    [null],
    ['$image'],
    [[image(bytes, 'image/png')]],
    [{}],
    [{ $image: null }],
    [{ $image: { media_type: 'text/html', data } }],
    [{ $image: { media_type: 'image/png' } }],
    [{ $image: { media_type: 'image/png', data: 'AQI' } }],
    [{ $image: { media_type: 'image/png', data: 'A-_=' } }],
    [{ $image: { media_type: 'image/png', data: 'A===' } }],
    [{ $audio: { media_type: 'image/png', data } }],
    [{ $bytes: { data } }],
    [{ $resource: { uri: 'u', media_type: 'a/b' } }],
    [{ $resource: { media_type: 'a/b', text: 'Hi' } }],
    [{ $resource_link: { uri: 'u' } }],
    [{ $other: { media_type: 'image/png', data } }],
    [{ ...image(bytes, 'image/png'), caption: 'x' }],
    [{ toString: { media_type: 'image/png', data } }],
  ])('sees no marker in %j', (value) => {
    expect(readMarker(value)).toBeUndefined();
  });

  it('leaves out members of a link that have the wrong form', () => {
    const link = { uri: 'u', name: 'n', title: 1, description: null, media_type: 2, size: 1.5 };
    expect(readMarker({ $resource_link: link })).toEqual({ kind: 'resource_link', uri: 'u', name: 'n' });
  });
});
