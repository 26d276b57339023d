import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { devKeys } from '../example/dev-keys.ts';
import { privateFolder } from '../example/private-folder.ts';
import { tour } from '../example/tour.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dev-keys-'));
  file = join(folder, '.waymark', 'dev.env');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('devKeys', () => {
  it('makes three different keys once, in a file that only its owner can read', () => {
    verifies('reference.makes-keys', 'reference.key-file');
    const { keys, made } = devKeys(file);
    expect(made).toBe(true);
    expect(Object.keys(keys)).toEqual(['OPERATOR_KEY', 'DEVICE_KEY', 'READER_KEY']);
    expect(new Set(Object.values(keys)).size).toBe(3);
    for (const key of Object.values(keys)) expect(key).toMatch(/^wm_[\w-]{43}$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(devKeys(file)).toEqual({ keys, made: false });
  });

  it('keeps its file out of git', () => {
    verifies('reference.key-file');
    const ignored = readFileSync(join(import.meta.dirname, '..', '..', '..', '.gitignore'), 'utf8').split(
      '\n',
    );
    expect(ignored).toContain('.waymark');
  });

  it('refuses a file that lacks a key rather than overwriting it', () => {
    devKeys(file);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^READER_KEY=.*$/m, '# lost'));
    expect(() => devKeys(file)).toThrow(/has no READER_KEY: add it, or delete the file/);
    expect(existsSync(file)).toBe(true);
  });
});

describe('privateFolder', () => {
  it.each([
    ['made', false],
    ['of an earlier release', true],
  ])('is for its owner alone: one that is %s', (_, isThere) => {
    verifies('reference.key-file');
    const path = join(folder, '.waymark');
    const before = process.umask(0);
    try {
      if (isThere) mkdirSync(path, 0o755);
      privateFolder(path);
    } finally {
      process.umask(before);
    }
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });
});

describe('tour', () => {
  it('prints each key, a curl line for each capability, and how to get other keys', () => {
    verifies('reference.prints');
    const keys = devKeys(file);
    const text = tour('http://127.0.0.1:8000', keys, { file, failUrl: '' });
    for (const key of Object.values(keys.keys)) expect(text).toContain(key);
    expect(text.match(/^ {2}curl -s '?http:\/\/127\.0\.0\.1:8000\//gm)).toHaveLength(23);
    expect(text).toContain(`made just now, from ${file}`);
    expect(text).toContain('delete the file');
  });

  it('prints no key that was there already, and the same lines with variables', () => {
    verifies('reference.keys-once');
    const first = tour('http://127.0.0.1:8000', devKeys(file), { file, failUrl: '' });
    const { keys, made } = devKeys(file);
    const text = tour('http://127.0.0.1:8000', { keys, made }, { file, failUrl: '' });
    for (const key of Object.values(keys)) expect(text).not.toContain(key);
    const filled = Object.entries(keys).reduce(
      (line, [name, key]) => line.replaceAll(`"x-api-key: $${name}"`, `'x-api-key: ${key}'`),
      text,
    );
    const lines = (shown: string) => shown.match(/^ {2}curl.*$/gm);
    expect(lines(filled)).toEqual(lines(first));
    expect(text).toContain(`Try, after \`. ${file}\`:`);
  });
});
