import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { applicationText, inFolder, waymark } from './command-line.ts';

describe.each(['openapi', 'typegen'])('waymark %s --out', (command) => {
  const write = (out: string) => waymark(command, '--out', out);

  it('makes the folders of a file', async () => {
    inFolder({ 'application.ts': applicationText('') });
    expect(await write('not/there/yet.ts')).toMatchObject({ code: 0, err: '' });
    expect(readFileSync('not/there/yet.ts', 'utf8')).toContain('desk');
  });

  it.each([
    ['a folder', 'folder.ts', 'cannot write folder.ts: it is a folder; name a file in it\n'],
    ['a file for a folder', 'file.ts/a.ts', 'cannot write file.ts/a.ts: a part of the path is a file\n'],
    [
      'a full disk',
      '/dev/full',
      expect.stringMatching(/^cannot write \/dev\/full.*: there is no space left|a part/),
    ],
    [
      'a folder that the system makes for nobody',
      '/proc/none/a/b.ts',
      expect.stringMatching(/^cannot write [^\n]+\n$/),
    ],
    ['what nobody may write', '/proc/a.ts', expect.stringMatching(/^cannot write \/proc\/a\.ts: [^\n]+\n$/)],
  ])('ends with 1 and one line for %s', async (_, out, line) => {
    inFolder({ 'application.ts': applicationText('') });
    mkdirSync('folder.ts');
    writeFileSync('file.ts', '');
    expect(await write(out)).toEqual({ code: 1, out: '', err: line as string });
  });
});
