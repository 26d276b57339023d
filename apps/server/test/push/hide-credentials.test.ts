import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { hideCredentials } from '../../src/cli/push/hide-credentials.ts';

describe('the credentials of an address', () => {
  it.each([
    ['rtsp://admin:s3cret@camera/1', 'rtsp://…@camera/1: refused'],
    ['rtsp://admin:p@ss@camera/1', 'rtsp://…@camera/1: refused'],
    ['rtsp://a:b@camera/1', 'rtsp://…@camera/1: refused'],
    ['rtsp://admin@camera/1', 'rtsp://…@camera/1: refused'],
    ['rtsp://admin:sl/ash@camera/1', 'rtsp://…@camera/1: refused'],
    ['http://camera/video.cgi?user=admin&pwd=s3cret', 'http://camera/video.cgi?…: refused'],
    ['http://camera/video.cgi', 'http://camera/video.cgi: refused'],
  ])('of %s are in no message', (address, shown) => {
    verifies('cli.push.credentials');
    expect(hideCredentials(address)(`${address}: refused`)).toBe(shown);
  });

  it('are found in any spelling and place, those of other addresses too', () => {
    verifies('cli.push.credentials');
    const hide = hideCredentials('rtsp://admin:s%3Fcret@camera/1');
    expect(hide('password s?cret or s%3Fcret of admin:s%3Fcret')).toBe('password … or … of …');
    expect(hide('moved to rtsp://other:key@elsewhere/2')).toBe('moved to rtsp://…@elsewhere/2');
    expect(hideCredentials('film.mp4')('film.mp4: no such file')).toBe('film.mp4: no such file');
  });
});
