import { describe, expect, it } from 'vitest';
import { toWantedFile } from '../../src/files/file-segments.ts';

describe('the path of a file', () => {
  it.each([
    ['/a/b.css', ['b.css'], false],
    ['/a/b/c%20d.css', ['b', 'c d.css'], false],
    ['/a/%C3%A9.txt', ['é.txt'], false],
    ['/a/', [], true],
    ['/a', [], false],
    ['/a/b/', ['b'], true],
    ['/a/%62.css', ['b.css'], false],
    ['/a/..b', undefined, false],
    ['/a/b..c', ['b..c'], false],
    ['/a/console', ['console'], false],
    ['/a/com10', ['com10'], false],
    ['/a/~b$,;=@+.css', ['~b$,;=@+.css'], false],
  ])('%s is read', (path, segments, directory) => {
    expect(toWantedFile(path, 1)).toEqual(segments && { segments, directory });
  });

  it('begins behind its mount, however that is written', () => {
    expect(toWantedFile('/%61/%62/c', 2)?.segments).toEqual(['c']);
    expect(toWantedFile('/c', 0)?.segments).toEqual(['c']);
    expect(toWantedFile('/', 0)).toEqual({ segments: [], directory: true });
  });

  it.each([
    ...[
      '.',
      '..',
      '...',
      '.env',
      '.git',
      '%2e%2e',
      '.%2e',
      '%2e',
      '%2eenv',
      'a%2fb',
      '%2f',
      '..%2fa',
      '..%2f..',
    ],
    ...[
      'a\\b',
      '..\\a',
      '%5c',
      '..%5ca',
      'a%5cb',
      '%5c%5chost',
      'C:',
      'c:%5cwindows',
      'a:b',
      'a.txt::$DATA',
      'a.txt:x',
    ],
    ...[
      '%00',
      'a%00.css',
      'a.css%00',
      '%0a',
      '%0d%0a',
      '%7f',
      '%1b',
      'a*',
      'a%3f',
      'a%22',
      'a|b',
      '%3ca',
      'a%3e',
    ],
    ...[
      'con',
      'CON',
      'nul.txt',
      'aux.',
      'prn.tar.gz',
      'com1',
      'LPT9.css',
      'com%C2%B9',
      'conin$',
      'CONOUT$.txt',
    ],
    ...['a.', 'a%20', 'a. .', '%20.', '%', '%zz', '%c0%ae%c0%ae', '%ff', 'a'.repeat(256)],
  ])('%s is none', (segment) => {
    expect(toWantedFile(`/a/${segment}`, 1)).toBeUndefined();
    expect(toWantedFile(`/a/${segment}/b.css`, 1)).toBeUndefined();
    expect(toWantedFile(`/a/b/${segment}/`, 1)).toBeUndefined();
  });

  it('has no empty names', () => {
    for (const path of ['/a//b', '/a///', '/a//', '/a/b//c', '/a/b//'])
      expect(toWantedFile(path, 1)).toBeUndefined();
  });

  it('has names of up to 255 characters', () => {
    expect(toWantedFile(`/a/${'b'.repeat(255)}`, 1)?.segments).toHaveLength(1);
  });
});
