import { closeSync, openSync, readdirSync, readlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileBytes } from '../../src/files/file-stream.ts';
import { OpenedFile } from '../../src/files/opened-file.ts';
import { folderOf } from '../serve.ts';

function opened(text: string) {
  const folder = folderOf({ 'a.txt': text });
  const path = join(folder, 'a.txt');
  const file = new OpenedFile(openSync(path, 'r'));
  const isOpen = (): boolean =>
    readdirSync('/proc/self/fd').some((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`) === path;
      } catch {
        return false;
      }
    });
  return { path, file, isOpen };
}

describe('fileBytes', () => {
  it('is the part that was asked for, or fails where the file became shorter', async () => {
    const { path, file } = opened('0123456789');
    expect(Buffer.from(await fileBytes(file, 2, 5)).toString()).toBe('23456');
    expect(await fileBytes(file, 10, 0)).toHaveLength(0);
    truncateSync(path, 4);
    await expect(fileBytes(file, 2, 5)).rejects.toThrow('became shorter');
    writeFileSync(path, '0123456789');
    expect(Buffer.from(await fileBytes(file, 8, 2)).toString()).toBe('89');
    file.close();
  });
});

describe('OpenedFile', () => {
  it('is closed once, and not while it is read', async () => {
    const { file, isOpen } = opened('0123456789');
    const reading = file.read(0, 10);
    file.close();
    file.close();
    expect(isOpen()).toBe(true);
    expect(await reading).toHaveLength(10);
    expect(isOpen()).toBe(false);
    file.close();
  });

  it('does not keep what cannot be looked at', () => {
    const { path } = opened('');
    const fd = openSync(path, 'r');
    closeSync(fd);
    expect(() => new OpenedFile(fd)).toThrow('EBADF');
  });
});
